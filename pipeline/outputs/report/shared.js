"use strict";
// Functions for both pages of --report: elements, tables, axes and bars.
const shared = (() => {
  const $ = (id) => document.getElementById(id);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const text = (value) => (value === null || value === undefined ? "–" : String(value));
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const element = (name, content, parent) => {
    const made = document.createElement(name);
    if (content !== undefined) made.textContent = content;
    if (parent) parent.append(made);
    return made;
  };
  // A canvas with as many pixels as the screen has; returns its context and size in CSS pixels.
  const prepared = (canvas) => {
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    [canvas.width, canvas.height] = [w, h].map((side) => Math.max(1, Math.round(side * ratio)));
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, w, h);
    return [context, w, h];
  };
  // --- tables ------------------------------------------------------------------------------------------------------
  // Sorts numbers before texts; a missing value is last in either direction.
  const compare = (a, b, sign) => {
    const rank = (value) => (typeof value === "number" ? 0 : value === null || value === undefined ? 2 : 1);
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    return a === b ? 0 : sign * (a < b ? -1 : 1);
  };
  // Returns a function that says whether a row fits the search text. The text has conditions such as "SNR > 20" or
  // "STATUS = failed", separated by commas; a condition without a comparison is a text that a shown column must contain.
  // Throws a message, as text, if a condition names no column of the table, or compares numbers with a text.
  const finder = (typed, names, columns, rows) => {
    const holds = { "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b,
                    "=": (a, b) => a === b, "==": (a, b) => a === b, "!=": (a, b) => a !== b };
    const terms = typed.split(",").map((term) => term.trim()).filter(Boolean).map((term) => {
      const parts = term.match(/^([\w.() ]+?)\s*(<=|>=|!=|==|<|>|=)\s*(.+)$/);
      const small = (value) => text(value).toLowerCase();
      if (!parts) return (row) => columns.some((column) => small(row[column]).includes(term.toLowerCase()));
      const column = names.findIndex((name) => small(name) === small(parts[1]));
      if (column < 0) throw `there is no column ${parts[1]}`;
      const number = Number(parts[3]), isNumber = !Number.isNaN(number);
      const ofNumbers = !rows.some((row) => typeof row[column] === "string" && Number.isNaN(Number(row[column].replace("inf", "0"))));
      if (!isNumber && (ofNumbers || !["=", "==", "!="].includes(parts[2]))) throw `${parts[3]} is no number; commas part conditions`;
      return (row) => {
        const value = row[column];
        if (ofNumbers) return typeof value === "number" ? holds[parts[2]](value, number) : parts[2] === "!=";
        return holds[parts[2]](small(value), small(parts[3]));
      };
    });
    return (row) => terms.every((term) => term(row));
  };
  const csv = (names, rows) => {
    const cell = (value) => (/[",\n]/.test(text(value)) ? `"${text(value).replaceAll('"', '""')}"` : value ?? "");
    return [names, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
  };
  const save = (name, content) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type: "text/csv" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  // The table with the id "table", in pages: `rows` of values of the columns `names`, of which `columns` are shown under
  // the heads that the page has. A click on a head sorts, what is typed into "find" selects rows, and "save" gives these
  // as `file`. `choose` is called with the number of a row that is clicked; `fill`, if there is one, puts a value into a
  // cell.
  const makeTable = ({ rows, names, columns, file, choose, fill = (cell, value) => { cell.textContent = text(value); } }) => {
    const most = 25;  // rows of a page
    const order = rows.map((_, i) => i);
    let page = 0, sorted = -1, falling = false, chosen = -1;
    const draw = () => {
      const body = $("rows"), begin = page * most;
      const focused = body.contains(document.activeElement);
      body.replaceChildren();
      for (const i of order.slice(begin, begin + most)) {
        const row = element("tr", undefined, body);
        for (const column of columns) fill(element("td", undefined, row), rows[i][column], i, column);
        row.tabIndex = 0;
        if (i === chosen) row.setAttribute("aria-current", "true");
        row.addEventListener("click", () => choose(i, true));
        row.addEventListener("keydown", (event) => {
          if (event.key === "Enter" && event.target === row) choose(i, true);
          const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
          if (!next) return;
          event.preventDefault();
          next.focus();
        });
        if (focused && i === chosen) row.focus();
      }
      const pages = Math.max(1, Math.ceil(order.length / most));
      $("page").textContent = `page ${page + 1} of ${pages}`;
      $("before").disabled = page === 0;
      $("after").disabled = page + 1 >= pages;
    };
    const arrange = () => {
      if (sorted >= 0) order.sort((a, b) => compare(rows[a][sorted], rows[b][sorted], falling ? -1 : 1) || a - b);
    };
    const find = () => {
      const field = $("find");
      field.setCustomValidity("");
      try {
        const isMeant = finder(field.value, names, columns, rows);
        order.splice(0, order.length, ...rows.map((_, i) => i).filter((i) => isMeant(rows[i])));
        $("matches").textContent = field.value.trim() ? `${order.length} of ${rows.length} rows` : "";
      } catch (reason) {
        if (typeof reason !== "string") throw reason;
        field.setCustomValidity(reason);
        $("matches").textContent = reason;
      }
      arrange();
      page = 0;
      draw();
    };
    $("find").addEventListener("input", find);
    $("save").addEventListener("click", () => save(file, csv(names, order.map((i) => rows[i]))));
    const sortBy = (column, head) => {
      falling = sorted === column ? !falling : false;
      sorted = column;
      arrange();
      for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      page = 0;
      draw();
    };
    [...$("table").tHead.rows[0].cells].forEach((head, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortBy(columns[i], head));
      head.append(button);
    });
    [["before", -1], ["after", 1]].forEach(([name, by]) => $(name).addEventListener("click", () => {
      page += by;
      draw();
    }));
    draw();
    return {
      order,
      // Marks a row, and turns to its page; -1 marks none.
      show: (row) => {
        chosen = row;
        if (order.includes(row)) page = Math.floor(order.indexOf(row) / most);
        draw();
      },
    };
  };
  // --- plots -------------------------------------------------------------------------------------------------------
  // Round places between two values.
  const ticks = (low, high, count) => {
    const rough = (high - low) / count;
    const ten = 10 ** Math.floor(Math.log10(rough));
    const step = ten * [1, 2, 5, 10].find((times) => times * ten >= rough);
    const places = [];
    for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-12) && places.length < 50; ++i) places.push(i * step);
    return places;
  };
  const decades = (low, high) => {
    const all = Array.from({ length: Math.max(0, Math.floor(high) - Math.ceil(low) + 1) }, (_, i) => Math.ceil(low) + i);
    return all.length < 2 ? ticks(low, high, 4) : all.filter((_, i) => i % Math.ceil(all.length / 6) === 0);
  };
  const label = (value, isLog) => String(isLog ? Number((10 ** value).toPrecision(2)) : Number(value.toPrecision(6)));

  // Draws axes, and returns the context with functions to the screen. A log axis takes logarithms; x may fall.
  const axes = (canvas, x, y) => {
    const [context, w, h] = prepared(canvas);
    const [left, right, top, bottom] = [58, w - 10, 10, h - 40];
    const toX = (value) => left + ((value - x.low) / (x.high - x.low)) * (right - left);
    const toY = (value) => bottom - ((value - y.low) / (y.high - y.low)) * (bottom - top);
    [context.font, context.fillStyle] = ["12px system-ui, sans-serif", colour("faint")];
    [context.strokeStyle, context.lineWidth] = [colour("line"), 1];
    context.textAlign = "center";
    const [least, most] = [Math.min(x.low, x.high), Math.max(x.low, x.high)];
    for (const value of x.isLog ? decades(least, most) : ticks(least, most, w / 90)) {
      context.strokeRect(toX(value), top, 0, bottom - top);
      context.fillText(x.label ? x.label(value) : label(value, x.isLog), toX(value), bottom + 15);
    }
    context.fillText(x.name, (left + right) / 2, h - 6);
    context.textAlign = "right";
    for (const value of y.isLog ? decades(y.low, y.high) : ticks(y.low, y.high, 5)) {
      context.strokeRect(left, toY(value), right - left, 0);
      context.fillText(label(value, y.isLog), left - 6, toY(value) + 4);
    }
    context.save();
    context.translate(13, (top + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(y.name, 0, 0);
    context.restore();
    return { context, toX, toY, left, right, top, bottom };
  };
  const sayNothing = (canvas) => {
    const [context, w, h] = prepared(canvas);
    [context.font, context.fillStyle] = ["14px system-ui, sans-serif", colour("faint")];
    context.textAlign = "center";
    context.fillText("nothing to plot", w / 2, h / 2);
  };
  // Bars from `low`, each `step` wide, on a logarithmic axis.
  const drawBars = (canvas, low, step, counts, name, ofCounts) => {
    const highest = Math.max(...counts);
    if (!(highest > 0)) return null;
    const y = { low: Math.log10(0.7), high: Math.log10(highest * 1.6), name: ofCounts, isLog: true };
    const plot = axes(canvas, { low, high: low + step * counts.length, name }, y);
    plot.context.fillStyle = colour("accent");
    counts.forEach((count, i) => {
      if (count === 0) return;
      const [begin, end] = [plot.toX(low + i * step), plot.toX(low + (i + 1) * step)];
      const top = plot.toY(Math.log10(count));
      plot.context.fillRect(begin, top, Math.max(end - begin - (end - begin > 6 ? 1 : 0), 1), plot.bottom - top);
    });
    return plot;
  };
  // Marks the chosen one of the points [row, x, y] of a plot. A click chooses the nearest.
  const letChoose = (canvas, plot, points, chosen, choose) => {
    const picked = points.find(([row]) => row === chosen);
    [plot.context.strokeStyle, plot.context.lineWidth] = [colour("mark"), 2];
    if (picked) plot.context.strokeRect(picked[1] - 5, picked[2] - 5, 10, 10);
    canvas.onclick = (event) => {
      const far = ([, x, y]) => Math.hypot(x - event.offsetX, y - event.offsetY);
      const nearest = points.reduce((best, one) => (!best || far(one) < far(best) ? one : best), null);
      if (nearest && far(nearest) < 12) choose(nearest[0], true);
    };
  };
  // Draws again where the window or its colours change, and says that the page is drawn.
  const start = (draw) => {
    draw();
    window.addEventListener("resize", draw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    document.documentElement.dataset.ready = "yes";
  };
  document.documentElement.classList.add("live");
  return { $, axes, clamp, colour, drawBars, element, letChoose, makeTable, prepared, sayNothing, start, text };
})();
