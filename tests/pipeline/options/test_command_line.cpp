#include "pipeline/options/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;

CommandLine parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "srcextract");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CommandLine, DefaultsAreThoseOfTheHelp) {
  const CommandLine command = parse({"c.yaml", "m31.fits"});
  EXPECT_EQ(command.config, "c.yaml");
  EXPECT_THAT(command.inputs, ElementsAre("m31.fits"));
  EXPECT_EQ(command.output_dir, ".");
  EXPECT_EQ(command.backend, Backend::automatic);
  EXPECT_THAT(command.devices, ::testing::IsEmpty());
  EXPECT_EQ(command.threads, available_threads());
  EXPECT_EQ(command.memory, std::nullopt);
  EXPECT_EQ(command.verbosity, Verbosity::normal);
  EXPECT_FALSE(command.dump_config);
  EXPECT_EQ(command.answer, "");
}

TEST(CommandLine, OptionsStandAnywhereAndSetTakesOneValueEach) {
  const CommandLine command = parse({"--set", "a.b=1", "c.yaml", "-o", "out", "m31.fits", "--set", "c.d=[csv, reg]",
                                     "m33.fits", "--backend", "cuda", "--device=2,0,2", "--threads", "3", "-v"});
  EXPECT_EQ(command.config, "c.yaml");
  EXPECT_THAT(command.inputs, ElementsAre("m31.fits", "m33.fits"));
  EXPECT_THAT(command.settings, ElementsAre("a.b=1", "c.d=[csv, reg]"));
  EXPECT_EQ(command.output_dir, "out");
  EXPECT_EQ(command.backend, Backend::cuda);
  EXPECT_THAT(command.devices, ElementsAre(2, 0));
  EXPECT_EQ(command.threads, 3);
  EXPECT_EQ(command.verbosity, Verbosity::verbose);
}

TEST(CommandLine, AFileNameIsOnlyEverAFileName) {
  EXPECT_THAT(parse({"c.yaml", "[a,b]", "{}", "%%", "m31.fits[1:2,3:4]", "!m31.fits", "--", "-x.fits"}).inputs,
              ElementsAre("./[a,b]", "./{}", "./%%", "m31.fits[1:2,3:4]", "!m31.fits", "-x.fits"));
}

TEST(CommandLine, AValueIsOnlyEverAValue) {
  const CommandLine command =
      parse({"--set", "[a]=5", "--set={b}=1", "-o", "[out]", "--log-file", "%log", "c.yaml", "[a]", "--", "-o=x.fits"});
  EXPECT_THAT(command.settings, ElementsAre("[a]=5", "{b}=1"));
  EXPECT_EQ(command.output_dir, "[out]");
  EXPECT_EQ(command.log_file, "%log");
  EXPECT_THAT(command.inputs, ElementsAre("./[a]", "-o=x.fits"));
  EXPECT_EQ(parse({"-o=out", "c.yaml", "x.fits"}).output_dir, "out");
}

TEST(CommandLine, TheArgumentsAreKeptAsTyped) {
  EXPECT_THAT(parse({"c.yaml", "[a]", "-q"}).arguments, ElementsAre("srcextract", "c.yaml", "[a]", "-q"));
}

TEST(CommandLine, WhatMakesNoSenseIsAConfigError) {
  const std::vector<std::vector<const char*>> wrong = {
      {},
      {"c.yaml"},
      {"", "m31.fits"},
      {"c.yaml", ""},
      {"c.yaml", "m31.fits", "-o", ""},
      {"m31.fits.fz", "c.yaml"},
      {"--backend", "gpu", "c.yaml", "m31.fits"},
      {"--device", "-1", "c.yaml", "m31.fits"},
      {"--device", "0,", "c.yaml", "m31.fits"},
      {"--device", "one", "c.yaml", "m31.fits"},
      {"--memory", "lots", "c.yaml", "m31.fits"},
      {"--memory=-1", "c.yaml", "m31.fits"},
      {"--memory", "00", "c.yaml", "m31.fits"},
      {"--device-memory", "0x0", "c.yaml", "m31.fits"},
      {"--device-memory", "9999999999999999999999", "c.yaml", "m31.fits"},
      {"--threads", "0", "c.yaml", "m31.fits"},
      {"--threads", "two", "c.yaml", "m31.fits"},
      {"--threads", "99999999999999999999", "c.yaml", "m31.fits"},
      {"--nonsense", "c.yaml", "m31.fits"},
      {"-q", "-v", "c.yaml", "m31.fits"},
      {"c.yaml", "m31.fits", "--set"},
  };
  for (const auto& arguments : wrong) {
    try {
      parse(arguments);
      ADD_FAILURE() << "accepted: " << ::testing::PrintToString(arguments);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("--help"));
    }
  }
}

TEST(CommandLine, MemoryIsInBytesOrPowersOf1024) {
  EXPECT_EQ(parse({"--memory", "8G", "c.yaml", "m31.fits"}).memory, std::int64_t{8} << 30);
  EXPECT_EQ(parse({"--memory", "1000000", "c.yaml", "m31.fits"}).memory, 1'000'000);
}

TEST(CommandLine, DumpConfigNeedsNoImage) {
  EXPECT_TRUE(parse({"--dump-config", "c.yaml"}).dump_config);
}

}  // namespace
}  // namespace srcextract
