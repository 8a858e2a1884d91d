"use strict";
(() => {
  const { $, axes, clamp, colour, drawBars, element, letChoose, makeTable, prepared, sayNothing, start, text } = shared;
  const data = JSON.parse($("data").textContent);
  const picture = $("picture"), sky = $("sky");
  const { width, height, factor } = data.image;
  const mostZoom = 40;
  const view = { scale: 1, x: 0, y: 0, isWhole: true };  // screen = picture pixel * scale + (x, y)
  const names = data.columns.map((column) => column[0]), sign = names.indexOf("SIGN");
  let chosen = -1, plots = [], table = null;

  // --- the image -------------------------------------------------------------------------------------------------
  // Where a FITS position (1-based, y upwards) is in the picture, whose first row is the topmost.
  const toPicture = (x, y) => [(x - 0.5) / factor, picture.naturalHeight - (y - 0.5) / factor];
  const toFits = (u, v) => [u * factor + 0.5, (picture.naturalHeight - v) * factor + 0.5];
  const toScreen = (x, y) => {
    const [u, v] = toPicture(x, y);
    return [u * view.scale + view.x, v * view.scale + view.y];
  };
  const wholeScale = () => Math.min(sky.clientWidth / picture.naturalWidth, sky.clientHeight / picture.naturalHeight);

  // The ellipse that is drawn: [x, y, semi-axes, angle] on the screen; null without a position.
  const ellipseOf = ([x, y, a, b, theta], margin) => {
    if (typeof x !== "number" || typeof y !== "number") return null;
    const [u, v] = toScreen(x, y);
    const axis = (size) => Math.max(typeof size === "number" ? (3 * size * view.scale) / factor : 0, margin);
    return [u, v, axis(a), axis(b), typeof theta === "number" ? (-theta * Math.PI) / 180 : 0];
  };
  const drawEllipse = (context, shape, margin) => {
    const ellipse = ellipseOf(shape, margin);
    if (!ellipse) return;
    const [x, y, a] = ellipse, [w, h] = [sky.clientWidth, sky.clientHeight];
    if (a > 4 * w || x < -a || x > w + a || y < -a || y > h + a) return;
    context.beginPath();
    context.ellipse(...ellipse, 0, 2 * Math.PI);
    context.stroke();
  };
  // The curve of the stretch that is chosen: a power of the grey values, or their inverse.
  const setCurve = () => {
    const power = Number($("stretch").value);
    const greys = Array.from({ length: 65 }, (_, i) => (power < 0 ? 1 - i / 64 : (i / 64) ** power).toFixed(4)).join(" ");
    document.querySelectorAll("#curve feComponentTransfer > *").forEach((one) => one.setAttribute("tableValues", greys));
  };
  // Draws a picture with the stretch, the contrast and the brightness that are set.
  const drawPicture = (context, ...where) => {
    const curve = $("stretch").value === "1" ? "" : "url(#curve) ";
    context.filter = `${curve}brightness(${2 ** $("brightness").value}) contrast(${2 ** $("contrast").value})`;
    context.drawImage(...where);
    context.filter = "none";
  };
  // --- scale and compass: by the WCS at the middle of the image, or in pixels ---
  const angleText = (seconds) =>
    seconds >= 3600 ? `${seconds / 3600}\u00b0` : seconds >= 60 ? `${seconds / 60}\u2032` : `${Number(seconds.toPrecision(1))}\u2033`;
  const lengths = [...[-2, -1].flatMap((ten) => [1, 2, 5].map((one) => one * 10 ** ten)), ...[1, 60, 3600].flatMap((unit) => [1, 2, 5, 10, 20, 30].map((one) => one * unit))];
  const drawScale = (context, w, h) => {
    const perPixel = data.sky ? data.sky.scale : 1, most = (0.25 * w * perPixel * factor) / view.scale;
    const length = data.sky ? lengths.findLast((one) => one <= most) : [5, 2, 1].map((one) => one * 10 ** Math.floor(Math.log10(most))).find((one) => one <= most);
    if (!(length > 0)) return;
    const long = (length / perPixel / factor) * view.scale, [x, y] = [14, h - 14];
    const label = data.sky ? angleText(length) : `${Number(length.toPrecision(1))} pixels`;
    // A white line with a dark edge, which is seen on any picture.
    const drawLine = (...points) => {
      for ([context.strokeStyle, context.lineWidth] of [["#000", 4], ["#fff", 2]]) {
        context.beginPath();
        for (const [u, v] of points) context.lineTo(u, v);
        context.stroke();
      }
    };
    const write = (words, u, v) => {
      [context.strokeStyle, context.fillStyle, context.lineWidth] = ["#000", "#fff", 3];
      context.strokeText(words, u, v);
      context.fillText(words, u, v);
    };
    [context.font, context.textAlign, context.lineJoin] = ["13px system-ui, sans-serif", "center", "round"];
    drawLine([x, y - 5], [x, y], [x + long, y], [x + long, y - 5]);
    write(label, x + long / 2, y - 8);
    sky.dataset.bar = label;
    if (!data.sky) return;
    for (const [name, [u, v]] of [["N", data.sky.north], ["E", data.sky.east]]) {
      const [fromX, fromY] = [w - 44, h - 44];
      drawLine([fromX, fromY], [fromX + 22 * u, fromY - 22 * v]);
      write(name, fromX + 33 * u, fromY - 33 * v + 5);
    }
  };
  const drawSky = () => {
    const [context, w, h] = prepared(sky);
    context.imageSmoothingEnabled = view.scale < 1;
    drawPicture(context, picture, view.x, view.y, picture.naturalWidth * view.scale, picture.naturalHeight * view.scale);
    if ($("ellipses").checked) {
      const [plain, fainter] = [colour("ellipse"), colour("fainter")];
      context.lineWidth = 1.2;
      data.shapes.forEach((shape, i) => {
        context.strokeStyle = data.rows[i]?.[sign] === -1 ? fainter : plain;
        drawEllipse(context, shape, 3);
      });
    }
    if (chosen >= 0) {
      [context.strokeStyle, context.lineWidth] = [colour("picked"), 2.5];
      drawEllipse(context, data.shapes[chosen], 6);
    }
    drawScale(context, w, h);
    sky.dataset.scale = view.scale;
  };
  const showWhole = () => {
    [view.scale, view.isWhole] = [wholeScale(), true];
    view.x = (sky.clientWidth - picture.naturalWidth * view.scale) / 2;
    view.y = (sky.clientHeight - picture.naturalHeight * view.scale) / 2;
    drawSky();
  };
  // Zooms about a place on the screen, by default the middle.
  const zoom = (by, x = sky.clientWidth / 2, y = sky.clientHeight / 2) => {
    const least = Math.min(wholeScale(), 1);
    const scale = clamp(view.scale * by, least / 2, Math.max(mostZoom, 2 * least));
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    [view.scale, view.isWhole] = [scale, false];
    drawSky();
  };
  const move = (x, y) => {
    [view.x, view.y, view.isWhole] = [view.x + x, view.y + y, false];
    drawSky();
  };
  const centreOn = (shape) => {
    if (typeof shape[0] !== "number" || typeof shape[1] !== "number") return;
    view.scale = Math.max(view.scale, Math.min(4 * wholeScale(), mostZoom));
    const [x, y] = toScreen(shape[0], shape[1]);
    move(sky.clientWidth / 2 - x, sky.clientHeight / 2 - y);
  };
  // The source whose ellipse is nearest to a place on the screen, or -1.
  const sourceAt = (x, y) => {
    let nearest = -1, least = Infinity;
    data.shapes.slice(0, data.rows.length).forEach((shape, i) => {
      const ellipse = ellipseOf(shape, 3);
      if (!ellipse) return;
      const [u, v, a, b] = ellipse;
      const distance = Math.hypot(x - u, y - v);
      if (distance < Math.max(10, Math.min(Math.max(a, b), 400)) && distance < least) [nearest, least] = [i, distance];
    });
    return nearest;
  };
  const showPosition = (event) => {
    const [x, y] = toFits((event.offsetX - view.x) / view.scale, (event.offsetY - view.y) / view.scale);
    const inside = x >= 0.5 && x < width + 0.5 && y >= 0.5 && y < height + 0.5;
    $("position").textContent = inside ? `x ${x.toFixed(1)}  y ${y.toFixed(1)}` : "";
  };
  const listenToSky = () => {
    let held = null;
    sky.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(Math.exp(-clamp(event.deltaY, -200, 200) / 300), event.offsetX, event.offsetY);
    }, { passive: false });
    sky.addEventListener("pointerdown", (event) => {
      sky.setPointerCapture(event.pointerId);
      held = { x: event.offsetX, y: event.offsetY, moved: false };
    });
    sky.addEventListener("pointermove", (event) => {
      showPosition(event);
      if (!held) return;
      const [x, y] = [event.offsetX - held.x, event.offsetY - held.y];
      if (!held.moved && Math.hypot(x, y) < 4) return;
      held = { x: event.offsetX, y: event.offsetY, moved: true };
      move(x, y);
    });
    sky.addEventListener("pointerup", (event) => {
      if (held && !held.moved) choose(sourceAt(event.offsetX, event.offsetY));
      held = null;
    });
    sky.addEventListener("pointercancel", () => { held = null; });
    sky.addEventListener("keydown", (event) => {
      const step = 60;
      const keys = {
        "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: showWhole,
        ArrowLeft: () => move(step, 0), ArrowRight: () => move(-step, 0),
        ArrowUp: () => move(0, step), ArrowDown: () => move(0, -step),
        n: () => chooseNext(1), p: () => chooseNext(-1),
      };
      if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
    Object.entries({ closer: () => zoom(1.3), farther: () => zoom(1 / 1.3), whole: showWhole, ellipses: drawSky })
      .forEach(([name, act]) => $(name).addEventListener("click", act));
    for (const name of ["contrast", "brightness", "stretch"]) {
      if (!("filter" in CanvasRenderingContext2D.prototype)) $(name).parentNode.hidden = true;
      $(name).addEventListener("input", () => {
        setCurve();
        drawSky();
        drawCutout();
      });
    }
  };
  // --- the selected source -----------------------------------------------------------------------------------------
  // A cut-out is a square of a picture from (left, top), with the place of the source in it. The brightest sources
  // of a large image, and of a difference, have stamps, whose pixels are those of the image. Others are cut out of the
  // whole picture. `fine` is the side of a pixel of either, in pixels of the image.
  const cutoutOf = (x, y, a, frame) => {
    const { side, columns, count } = data.stamps, size = 12 * (typeof a === "number" ? a : 0);
    if (chosen < count && size <= 2 * side) {
      const image = $(`stamps${frame}`), place = (at) => at - Math.floor(at + 0.5) + 0.5 + side / 2;
      const top = image.naturalHeight - (Math.floor(chosen / columns) + 1) * side;
      return { image, side, left: (chosen % columns) * side, top, u: place(x), v: side - place(y), fine: 1 };
    }
    const [image, fine] = frame ? [$(`whole${frame}`), data.frames.factor] : [picture, factor];
    const wide = Math.max(16 * factor, size) / fine, [u, v] = [(x - 0.5) / fine, image.naturalHeight - (y - 0.5) / fine];
    return { image, side: wide, left: u - wide / 2, top: v - wide / 2, u: wide / 2, v: wide / 2, fine };
  };
  // Of a difference, both frames are shown beside it.
  const drawCutout = () => {
    const fine = Math.max(...["", "-reference", "-new"].filter((frame) => $(`cutout${frame}`)).map(drawCutoutOf));
    $("cutout-note").textContent = fine > 1
      ? `Cut out of a picture that is shrunk ${fine} times. The ${data.stamps.count} brightest sources have all pixels of the image, unless they are large.` : "";
  };
  const drawCutoutOf = (frame) => {
    const [context, w, h] = prepared($(`cutout${frame}`));
    const [x, y, a, b, theta] = data.shapes[chosen] || [];
    if (typeof x !== "number" || typeof y !== "number") return 1;
    const { image, side, left, top, u, v, fine } = cutoutOf(x, y, a, frame), scale = w / side;
    context.imageSmoothingEnabled = false;
    drawPicture(context, image, left, top, side, side, 0, 0, w, h);
    if (typeof a !== "number" || typeof b !== "number") return fine;
    [context.strokeStyle, context.lineWidth] = [colour("picked"), 1.5];
    context.beginPath();
    const [major, minor] = [a, b].map((axis) => (3 * Math.max(axis, 0) * scale) / fine);
    context.ellipse(u * scale, v * scale, major, minor, (-(theta || 0) * Math.PI) / 180, 0, 2 * Math.PI);
    context.stroke();
    return fine;
  };
  // The column with the error of a column, or -1.
  const errorOf = names.map((name) => names.findIndex((one) => one !== name &&
    [name.replace(/^(FLUX|MAG)(?!ERR)/, "$1ERR"), `E_${name}`].includes(one)));
  // A value to two digits of its error, and an error to two digits; others to six or, on the sky, to a milliarcsecond.
  const told = (value, i, row) => {
    if (typeof value !== "number" || Number.isInteger(value)) return text(value);
    const error = errorOf[i] >= 0 ? row[errorOf[i]] : errorOf.includes(i) ? value : null;
    if (typeof error === "number" && error > 0) {
      const digits = 1 - Math.floor(Math.log10(error)), size = Math.floor(Math.log10(Math.max(Math.abs(value), error)));
      return digits > 9 || digits < -9 ? value.toExponential(clamp(size + digits, 0, 15)) : value.toFixed(clamp(digits, 0, 9));
    }
    return /^(ALPHA|DELTA|RA|DEC)/i.test(names[i]) ? value.toFixed(7) : String(Number(value.toPrecision(6)));
  };
  const showValues = () => {
    const values = $("values");
    values.replaceChildren();
    const number = names.findIndex((name) => name === "NUMBER" || name === "Gaus_id");
    const name = number < 0 ? `number ${chosen + 1} by brightness` : data.rows[chosen]?.[number];
    $("of-source").textContent = chosen < 0 ? "No source selected" : `Source ${name}`;
    if (chosen < 0) return;
    const body = element("tbody", undefined, element("table", undefined, values));
    const valuesOf = data.rows[chosen];
    data.columns.forEach(([column, unit, description], i) => {
      if (errorOf.includes(i)) return;  // it stands beside its value
      const row = element("tr", undefined, body);
      const head = element("th", column, row);
      head.scope = "row";
      head.title = description;
      const error = errorOf[i] >= 0 ? ` ± ${told(valuesOf[errorOf[i]], errorOf[i], valuesOf)}` : "";
      element("td", told(valuesOf[i], i, valuesOf) + error, row);
      element("td", unit, row).style.textAlign = "left";
    });
  };
  const choose = (row, isFromTable = false) => {
    chosen = row;
    showValues();
    drawCutout();
    if (isFromTable && row >= 0) centreOn(data.shapes[row]);
    else drawSky();
    table.show(row);
    plots.forEach((draw) => draw());
  };
  const chooseNext = (step) => {
    if (table.order.length === 0) return;
    const before = table.order.indexOf(chosen);
    const place = before < 0 ? (step > 0 ? 0 : -1) : before + step;
    choose(table.order.at(place % table.order.length), true);
  };
  // --- plots -------------------------------------------------------------------------------------------------------
  const drawHistogram = () => {
    const { low, high, counts, level, sigma, clip, threshold, unit } = data.histogram;
    const shown = counts.slice(1, -1), step = (high - low) / counts.length;
    const name = `pixel above the sky${unit ? ` (${unit})` : ""}`;
    const plot = drawBars($("histogram"), low + step, step, shown, name, "pixels");
    const digits = (value) => Number(value.toPrecision(5));
    $("histogram-note").textContent = `Sky ${digits(level)}, noise ${digits(sigma)}; dashed: clip limits ${digits(level - clip)} and ${digits(level + clip)}` +
      `${threshold === null ? "" : `; dotted: threshold, ${digits(threshold)} above the sky`}. ${counts[0]} pixels are farther left, ${counts.at(-1)} farther right.`;
    if (!plot) return sayNothing($("histogram"));
    const line = (value, dashes) => {
      if (value === null || !(value > low && value < high)) return;
      plot.context.setLineDash(dashes);
      plot.context.beginPath();
      plot.context.moveTo(plot.toX(value), plot.top);
      plot.context.lineTo(plot.toX(value), plot.bottom);
      plot.context.stroke();
    };
    [plot.context.strokeStyle, plot.context.lineWidth] = [colour("mark"), 1.6];
    line(-clip, [6, 4]);
    line(clip, [6, 4]);
    line(threshold, [2, 3]);
  };
  const drawCounts = () => {
    const { low, step, counts } = data.counts;
    if (!drawBars($("counts"), low, step, counts, data.magnitude, "sources")) sayNothing($("counts"));
  };
  // Points [rank, x, y]; those above the axis lie on its upper edge. A click selects the source.
  const drawPoints = (canvas, points, y, name) => {
    if (points.length === 0) return sayNothing(canvas);
    const all = points.map((point) => point[1]);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const margin = 0.03 * (high - low) || 0.5;
    const plot = axes(canvas, { low: low - margin, high: high + margin, name: data.magnitude }, { ...y, name });
    const screen = points.map(([rank, x, value]) => [rank, plot.toX(x), plot.toY(clamp(value, y.low, y.high))]);
    plot.context.fillStyle = colour("accent");
    plot.context.globalAlpha = points.length > 1000 ? 0.5 : 0.75;
    for (const [, x, value] of screen) plot.context.fillRect(x - 1.5, value - 1.5, 3, 3);
    plot.context.globalAlpha = 1;
    letChoose(canvas, plot, screen.filter(([rank]) => rank < data.rows.length), chosen, choose);
  };
  const drawErrors = () => {
    const points = data.points.filter((point) => point[2] > 0).map(([rank, x, error]) => [rank, x, Math.log10(error)]);
    const all = points.map((point) => point[2]);
    const y = { low: Math.min(...all) - 0.1, high: Math.max(...all) + 0.1, isLog: true };
    drawPoints($("errors"), points, y, `error of ${data.magnitude}`);
  };
  const drawSizes = () => {
    const points = data.points.filter((point) => point[3] !== null).map(([rank, x, , size]) => [rank, x, size]);
    const sorted = points.map((point) => point[2]).sort((a, b) => a - b);
    const high = (sorted[Math.floor(0.97 * (sorted.length - 1))] || 1) * 1.5;
    drawPoints($("sizes"), points, { low: Math.min(0, sorted[0] || 0), high }, `${data.size} (pixel)`);
  };
  // The share of copies in each half magnitude or, of a radio map, of Gaussians by S/N, with its interval.
  const found = data.completeness?.bins
    ? { bins: data.completeness.bins, name: "magnitude of the copies" }
    : {
        bins: data.injection?.bins?.map((bin) => ({
          ...bin, magnitudes: bin.snr.map(Math.log10), copies: bin.injected, share: bin.completeness,
        })),
        name: "logarithm of S/N",
      };
  const drawCompleteness = () => {
    const { bins, name } = found;
    const x = { low: bins[0].magnitudes[0], high: bins.at(-1).magnitudes[1], name };
    const { context, toX, toY, left, right } = axes($("found"), x, { low: 0, high: 1.05, name: "share found" });
    const line = (places) => {
      context.beginPath();
      places.forEach(([u, v]) => context.lineTo(u, v));
      context.stroke();
    };
    [context.strokeStyle, context.lineWidth] = [colour("mark"), 1.2];
    context.setLineDash([6, 4]);
    for (const share of [0.5, 0.9]) line([[left, toY(share)], [right, toY(share)]]);
    context.setLineDash([]);
    [context.strokeStyle, context.fillStyle, context.lineWidth] = [colour("accent"), colour("accent"), 1.6];
    const filled = bins.filter((bin) => bin.copies > 0);
    const middle = (bin) => toX((bin.magnitudes[0] + bin.magnitudes[1]) / 2);
    line(filled.map((bin) => [middle(bin), toY(bin.share)]));
    for (const bin of filled) {
      line(bin.interval.map((share) => [middle(bin), toY(share)]));
      context.fillRect(middle(bin) - 3, toY(bin.share) - 3, 6, 6);
    }
  };
  // --- start -------------------------------------------------------------------------------------------------------
  plots = [drawHistogram, drawCounts, drawErrors, drawSizes, ...(found.bins ? [drawCompleteness] : [])];
  const drawAll = () => {
    (view.isWhole ? showWhole : drawSky)();
    drawCutout();
    plots.forEach((draw) => draw());
  };
  Promise.allSettled([...document.images].map((image) => image.decode())).then(() => {
    listenToSky();
    table = makeTable({
      rows: data.rows, names, columns: data.short, file: `${data.name.replace(/.*\//, "")}.csv`, choose,
      fill: (cell, value, row, column) => { cell.textContent = told(value, column, data.rows[row]); },
    });
    if (names.includes("Total_flux")) $("find").placeholder = "Total_flux > 0.1, Maj < 0.01";
    if (data.rows.length > 0) choose(0);
    start(drawAll);
  });
})();
