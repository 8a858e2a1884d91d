(() => {
  const { $, axes, clamp, colour, drawBars, element, letChoose, makeTable, sayNothing, start, text } = shared;
  const data = JSON.parse($("data").textContent);
  const column = (name) => data.columns.findIndex((one) => one[0] === name);
  const at = Object.fromEntries(["No.", "IMAGE", "STATUS", "SOURCES", "BACKGROUND", "SIGMA"].map((name) => [name, column(name)]));
  let chosen = -1, plots = [], table = null;

  // --- the table ---------------------------------------------------------------------------------------------------
  const fillCell = (cell, value, row, i) => {
    if (data.columns[i][3]) cell.className = "text";
    if (value === "failed") cell.classList.add("failed");
    if (i !== at.IMAGE || !data.links[row]) cell.textContent = text(value);
    else element("a", value, cell).href = data.links[row];
  };
  const say = () => {
    if (chosen < 0) return;
    const row = data.rows[chosen], level = data.unit ? ` ${data.unit}` : "";
    const done = `${row[at.SOURCES]} sources, sky ${text(row[at.BACKGROUND])}${level}, noise ${text(row[at.SIGMA])}${level}`;
    $("chosen").textContent = `Image ${row[at["No."]]}, ${row[at.IMAGE]}: ${row[at.STATUS] === "done" ? done : row.at(-1)}`;
  };
  const choose = (row) => {
    chosen = row;
    say();
    table.show(row);
    plots.forEach((draw) => draw());
  };
  // --- plots over the sequence of images ---------------------------------------------------------------------------
  // Limits of an axis for bins of [least, median, most]; logarithmic if few images are far above the others.
  const rangeOf = (bins) => {
    const medians = bins.map((bin) => bin[1]).sort((a, b) => a - b), median = medians[Math.floor(medians.length / 2)];
    let low = Infinity, high = -Infinity;
    for (const [least, , most] of bins) [low, high] = [Math.min(low, least), Math.max(high, most)];
    if (low >= 0 && median > 0 && high > 30 * median) {
      const floor = Math.max(low, median / 1000);
      return { low: Math.log10(floor) - 0.1, high: Math.log10(high) + 0.1, floor, isLog: true };
    }
    const margin = 0.05 * (high - low) || Math.abs(high) * 0.05 || 0.5;
    return { low: low >= 0 ? Math.max(0, low - margin) : low - margin, high: high + margin };
  };
  const drawSeries = (name, title, values) => {
    const canvas = $(name), { step, bins } = data[name], known = bins.filter(Boolean);
    if (known.length === 0) return sayNothing(canvas);
    const y = rangeOf(known), place = (value) => (y.isLog ? Math.log10(Math.max(value, y.floor)) : value);
    const margin = 0.02 * data.images || 0.5;
    const plot = axes(canvas, { low: 1 - margin, high: data.images + margin, name: "image" }, { ...y, name: title });
    const { context, toX, toY, bottom } = plot;
    const middle = (i) => toX(1 + i * step + (Math.min(step, data.images - i * step) - 1) / 2);
    context.fillStyle = colour("accent");
    bins.forEach((bin, i) => {
      if (!bin) return;
      const [least, median, most] = bin.map((value) => toY(place(value)));
      context.globalAlpha = 0.35;
      if (step > 1) context.fillRect(middle(i) - 0.5, most, 1, Math.max(least - most, 1));
      context.globalAlpha = 0.8;
      context.fillRect(middle(i) - 1.5, median - 1.5, 3, 3);
    });
    context.globalAlpha = 1;
    context.fillStyle = colour("mark");
    for (const i of data.failed) context.fillRect(middle(i) - 1, bottom - 7, 2, 7);
    const points = data.rows.map((row, i) => [i, toX(row[at["No."]]), row[values] === null ? bottom - 4 : toY(place(row[values]))]);
    letChoose(canvas, plot, points, chosen, choose);
  };
  const noteSeries = (name, what) => {
    const { step } = data[name];
    const each = step === 1 ? `${what} of each image, in the order of names.`
      : `${what} of each ${step} images in the order of names: the median, and a line from the least to the most.`;
    $(name).nextElementSibling.textContent = each + (data.failed.length > 0 ? " Marks below: images that failed." : "");
  };
  const unit = data.unit ? ` (${data.unit})` : "";
  // --- histogram and map -------------------------------------------------------------------------------------------
  const drawHistogram = () => {
    if (!data.histogram) return sayNothing($("histogram"));
    const { low, step, counts, beyond } = data.histogram;
    drawBars($("histogram"), low, step, counts, "sources in an image", "images");
    $("histogram-note").textContent = `Images by their number of sources${beyond > 0 ? `; ${beyond} have more` : ""}.`;
  };
  // Limits of both axes with one scale, where that leaves room; right ascensions grow to the left.
  const mapLimits = (canvas) => {
    const range = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
    const [ra, dec] = [0, 1].map((i) => range(data.map.map((cell) => cell[i])));
    const middle = ([low, high]) => (low + high) / 2, half = ([low, high]) => (0.55 * (high - low)) || 0.05;
    const narrow = Math.max(0.1, Math.cos((middle(dec) * Math.PI) / 180));
    const [w, h] = [canvas.clientWidth - 68, canvas.clientHeight - 50];
    const scale = Math.max((half(ra) * narrow) / w, half(dec) / h);
    const [x, y] = [(scale * w) / narrow, scale * h];
    const fits = x <= 200 && y <= 100;
    return { ra: middle(ra), dec: middle(dec), x: fits ? x : half(ra), y: fits ? y : half(dec) };
  };
  const drawMap = () => {
    const canvas = $("map");
    if (data.map.length === 0) return;
    const { ra, dec, x, y } = mapLimits(canvas), turned = (value) => String(Number((((value % 360) + 360) % 360).toFixed(6)));
    const plot = axes(canvas, { low: ra + x, high: ra - x, name: "right ascension (deg)", label: turned }, { low: dec - y, high: dec + y, name: "declination (deg)" });
    plot.context.fillStyle = colour("accent");
    plot.context.globalAlpha = 0.7;
    for (const [u, v, count] of data.map) {
      const radius = clamp(2 + Math.log10(count), 2.5, 5);
      plot.context.beginPath();
      plot.context.arc(plot.toX(u), plot.toY(v), radius, 0, 2 * Math.PI);
      plot.context.fill();
    }
    plot.context.globalAlpha = 1;
    const points = data.sky.map((place, i) => place && [i, plot.toX(place[0]), plot.toY(place[1])]).filter(Boolean);
    letChoose(canvas, plot, points, chosen, choose);
  };
  // --- start -------------------------------------------------------------------------------------------------------
  plots = [
    () => drawSeries("sources", "sources", at.SOURCES),
    () => drawSeries("noise", `noise${unit}`, at.SIGMA),
    () => drawSeries("level", `level of the sky${unit}`, at.BACKGROUND),
    drawHistogram, drawMap,
  ];
  Object.entries({ sources: "Sources", noise: "Noise", level: "Level of the sky" }).forEach(([name, what]) => noteSeries(name, what));
  table = makeTable({
    rows: data.rows, names: data.columns.map((one) => one[0]), columns: data.columns.map((_, i) => i), file: "images.csv", choose, fill: fillCell,
  });
  start(() => plots.forEach((draw) => draw()));
})();
