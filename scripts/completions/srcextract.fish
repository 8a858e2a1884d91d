# Completion of srcextract for fish: commands, options, keys and files. It asks the program, so that it knows what the program
# knows. Copy this file to ~/.config/fish/completions, or install it as share/fish/vendor_completions.d/srcextract.fish.

# The commands with what they do, a tab between.
function __srcextract_commands
    srcextract help | sed -n '/^Commands:/,$s/^  \([a-z-]*\)  *\(.*\)/\1\t\2/p'
end

# The keys of a configuration, as --set takes them.
function __srcextract_keys
    srcextract --dump-config | awk '/^[a-z]/ { section = $1 } /^  [a-z]/ { print section $1 "=" }' | sed 's/:/./; s/:=/=/'
end

# What may stand at the cursor.
function __srcextract_words
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l command $words[2]
    switch $words[-1]
        case --set --detect-set --reference-set
            __srcextract_keys
        case --backend
            printf '%s\n' auto cpu cuda compare
        case help
            __srcextract_commands
        case keys
            srcextract keys | sed -n 's/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
        case columns
            srcextract columns | sed -n 's/^\([a-z]*\)$/\1/p'
        case '*'
            if string match -q -- '-*' $current
                __srcextract_commands | string match -q -- "$command"\t'*'; or set command
                srcextract $command --help | grep -oE '^  (-[a-zA-Z],)?--[a-z-]+' | tr ',' '\n' | tr -d ' '
            else if test (count $words) -eq 1
                __srcextract_commands
            end
    end
end

# Whether no file may stand at the cursor.
function __srcextract_takes_no_file
    contains -- (commandline -opc)[-1] --set --detect-set --reference-set --backend help keys columns
end

complete -c srcextract -a '(__srcextract_words)'
complete -c srcextract -n __srcextract_takes_no_file -f
