// The page: reads the form, asks the library, and shows what it says.
(async () => {
  const $ = (id) => document.getElementById(id);
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) key in element ? (element[key] = value) : element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  // The module was gzipped and is in the page itself.
  async function load() {
    const bytes = Uint8Array.from(atob($("module").textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return StrewModule({wasmBinary: await new Response(stream).arrayBuffer()});
  }
  const library = await load();
  const operators = JSON.parse(library.ccall("strew_registry", "string", [], []));
  const byName = new Map(operators.map((op) => [`${op.dialect}.${op.name}`, op]));
  const answer = (request) => JSON.parse(library.ccall("strew_answer", "string", ["string"], [request]));

  // What is typed: the operator, and by argument a text, or [text, dtype, shape] of a tensor.
  let state = {op: "pytorch.scatter_add", values: {}};

  // The elements of a literal, without its brackets.
  const itemsOf = (text) => text.match(/"(?:[^"\\]|\\.)*"|[^\s,\[\]]+/g) ?? [];
  const nest = (items, shape) => shape.length === 0 ? items[0] : `[${Array.from({length: shape[0]}, (_, i) => {
    const size = items.length / shape[0];
    return nest(items.slice(i * size, (i + 1) * size), shape.slice(1));
  }).join(", ")}]`;
  const shapeOf = (text) => {
    const shape = [];
    for (let rest = text.trim(); rest.startsWith("["); ) {
      const parts = partsOf(rest);
      shape.push(parts.length);
      rest = parts[0] ?? "";
    }
    return shape;
  };
  const partsOf = (list) => {
    const parts = [];
    let depth = 0, quoted = false, part = "";
    for (const c of list.slice(1)) {
      if (c === '"') quoted = !quoted;
      if (!quoted && c === "[") depth++;
      if (!quoted && c === "]" && depth-- === 0) break;
      if (!quoted && c === "," && depth === 0) parts.push(part), part = "";
      else part += c;
    }
    return part.trim() ? [...parts, part].map((x) => x.trim()) : parts;
  };

  const most = 1 << 18;  // elements of an input
  // A tensor as it is passed on, and as the code needs it; throws a sentence.
  function tensorOf(name, [text, dtype, shapeText]) {
    const items = itemsOf(text), typed = shapeOf(text);
    if (!shapeText.trim()) return {literal: `${text.trim()}:${dtype}`, text: text.trim(), dtype, shape: typed, items, fill: false, scalar: !text.trim().startsWith("[")};
    const sizes = shapeText.replace(/[\[\]()]/g, "").split(/[\s,]+/).filter(Boolean);
    if (sizes.some((size) => !/^\d{1,9}$/.test(size))) throw `${name}: the shape must be sizes such as 2, 3`;
    const shape = sizes.map(Number), count = shape.reduce((a, b) => a * b, 1);
    if (count > most) throw `${name}: the page takes at most ${most.toLocaleString("en")} elements`;
    if (items.length !== count && items.length !== 1) throw `${name}: shape [${shape}] has ${count} elements, ${items.length} are given`;
    const fill = items.length === 1 && count > 1, whole = fill ? Array(count).fill(items[0]) : items;
    const nested = nest(whole, shape);
    return {literal: `${nested}:${dtype}`, text: fill ? items[0] : nested, dtype, shape, items: fill ? items : whole, fill, scalar: false};
  }

  const operator = () => byName.get(state.op);
  // [request, arguments for the code]; arguments at their default are left out.
  function requestOf() {
    const words = [state.op], values = {};
    for (const p of operator().parameters) {
      const value = state.values[p.name];
      if (code.isTensor(p)) {
        if (!value || (!value[0].trim() && p.fallback !== undefined)) continue;
        const tensor = tensorOf(p.name, value);
        // A number is a number where the operator takes one.
        words.push(`${p.name}=${p.type === "source" && tensor.scalar ? tensor.text : tensor.literal}`);
        values[p.name] = tensor;
      } else if (value !== undefined && value.trim() !== "" && (value !== p.fallback || p.must_be_said)) {
        words.push(`${p.name}=${value.trim()}`);
        values[p.name] = value.trim();
      }
    }
    if (words.some((word) => word.includes("\x1f"))) throw "a control character is no value";
    return [words.join("\x1f"), values];
  }

  // --- the address
  function addressOf() {
    const parameters = new URLSearchParams({op: state.op});
    for (const [name, value] of Object.entries(state.values)) parameters.set(name, Array.isArray(value) ? JSON.stringify(value) : value);
    return "#" + parameters;
  }
  function fromAddress() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    const op = byName.get(parameters.get("op"));
    if (!op) return false;
    const values = {};
    for (const p of op.parameters) {
      const text = parameters.get(p.name);
      if (text === null) continue;
      if (!code.isTensor(p)) { values[p.name] = text; continue; }
      let parts = [];
      try { parts = JSON.parse(text); } catch {}
      if (Array.isArray(parts) && parts.length === 3) values[p.name] = parts.map(String);
    }
    state = {op: `${op.dialect}.${op.name}`, values: {...defaults(op), ...values}};
    return true;
  }

  // --- the form
  const roleOf = (p) => ({target: "tensor", source: "updates", columns: "indices", index_key: "indices"})[p.type] ?? p.type;
  // Something to begin with: what is typed already where it fits, else a small example.
  function defaults(op, old = {}) {
    const tuples = op.name.includes("_nd"), values = {};
    for (const p of op.parameters) {
      const type = (list, wanted) => wanted.find((d) => list.includes(d)) ?? list[0];
      const data = type(op.dtypes, ["float32", "int32"]), index = type(op.index_dtypes, ["int64", "int32", "uint32"]);
      if (p.name in old && (Array.isArray(old[p.name]) === code.isTensor(p))) values[p.name] = old[p.name];
      else if (roleOf(p) === "tensor") values[p.name] = ["[10, 20, 30, 40]", data, ""];
      else if (p.type === "indices") values[p.name] = [tuples ? "[[1], [3], [1]]" : "[1, 3, 1]", index, ""];
      else if (roleOf(p) === "indices") values[p.name] = "[1, 3, 1]";
      else if (roleOf(p) === "updates") values[p.name] = ["[5, 6, 7]", data, ""];
      else if (p.type === "shape") values[p.name] = "[4]";
      else if (p.fallback !== undefined && !p.must_be_said) values[p.name] = p.fallback;
      else if (p.words) values[p.name] = p.words.find(Boolean);
      else values[p.name] = p.type === "word" ? "" : "0";
      const of = p.type === "indices" ? op.index_dtypes : op.dtypes;
      if (code.isTensor(p) && !of.includes(values[p.name][1])) values[p.name] = [values[p.name][0], p.type === "indices" ? index : data, values[p.name][2]];
    }
    return values;
  }

  const choices = (names, chosen) => names.map((name) => make("option", {value: name, selected: name === chosen}, name || "(none)"));
  function showForm() {
    const op = operator();
    $("dialect").replaceChildren(...choices([...new Set(operators.map((o) => o.dialect))], op.dialect));
    $("operator").replaceChildren(...choices(operators.filter((o) => o.dialect === op.dialect).map((o) => o.name), op.name));
    $("summary").textContent = op.summary;
    $("fields").replaceChildren(...op.parameters.map((p) => code.isTensor(p) ? tensorField(op, p) : plainField(p)));
    $("fields").querySelectorAll("textarea").forEach(fit);
  }
  // A text field is as high as its text.
  function fit(area) {
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }
  // One plain sentence on an argument.
  const explanations = {
    dim: "The axis along which positions count: in a table, 0 goes down and 1 goes across.",
    bad_indices_policy: "What to do with an index that is out of range.", out_of_range: "What to do with an index that is out of range.",
    include_self: "Whether the old number takes part.", overwrite: "Whether updates replace the old number, or are added up.",
    broadcast: "Whether a smaller index is repeated.", alpha: "Each update is multiplied by this first.", opset: "The version of ONNX.",
    batch_dims: "Axes at the front that both tensors share.", feature_level: "The version of DirectML.",
    input_dimension_count: "How many axes of the input count.", indices_dimension_count: "How many axes of the indices count.",
    batch_dimension_count: "Axes at the front that both tensors share.", shape: "The sizes of the result, which begins with zeros.",
  };
  explanations.axis = explanations.dim;
  explanations.reduce = explanations.reduction = "How an update and the old number are combined.";
  function explanation(op, p) {
    const reads = !op.scatters, role = roleOf(p);
    if (role === "indices") return reads ? "Which positions are read." : "Where each update goes.";
    if (role === "updates") return "The updates: the new numbers.";
    if (role === "tensor") return reads ? "The tensor that is read." : "The tensor before the scatter.";
    return explanations[p.name] ?? "";
  }
  const named = (p) => [make("b", {}, p.name), make("p", {className: "hint"}, explanation(operator(), p))];
  function tensorField(op, p) {
    const value = state.values[p.name], change = (at) => (event) => { value[at] = event.target.value; changed(); };
    const text = make("textarea", {value: value[0], rows: 1, "aria-label": `${p.name}, values`, oninput: (event) => { fit(text); change(0)(event); }});
    const dtype = make("select", {onchange: change(1)}, ...choices(p.type === "indices" ? op.index_dtypes : op.dtypes, value[1]));
    const shape = make("input", {value: value[2], placeholder: "as typed", oninput: change(2)});
    return make("div", {className: "field", role: "group", "aria-label": p.name}, ...named(p), text,
      make("div", {className: "types"}, make("label", {}, "dtype ", dtype), make("label", {}, "shape ", shape)));
  }
  function plainField(p) {
    const change = (event) => { state.values[p.name] = event.target.value; changed(); };
    const value = state.values[p.name] ?? "", listed = p.words ?? (p.type === "boolean" ? ["true", "false"] : null);
    const control = listed ? make("select", {onchange: change}, ...choices(listed, value)) : make("input", {value, oninput: change, placeholder: p.takes_none ? "not given" : ""});
    return make("label", {className: "field"}, ...named(p), control);
  }

  function showPresets() {
    const groups = new Map();
    for (const preset of presets) groups.set(preset.group, [...(groups.get(preset.group) ?? []), preset]);
    const rows = [...groups].map(([title, list]) => make("div", {className: "group", role: "group", "aria-label": title}, make("span", {}, title),
      make("div", {className: "chips"}, ...list.map((preset) => make("button", {type: "button", "aria-pressed": "false", onclick: () => choose(preset)}, preset.title)))));
    $("presets").replaceChildren(...rows.slice(0, 2), make("details", {}, make("summary", {}, "The examples of the frameworks' documents"), ...rows.slice(2)));
  }
  const copied = (values) => structuredClone(values);
  function choose(preset) {
    state = {op: preset.op, values: {...defaults(byName.get(preset.op)), ...copied(preset.values)}};
    showForm();
    changed(true);
    // On a small screen the answer may be below the window.
    if ($("sentence").getBoundingClientRect().bottom > innerHeight * 0.8) $("answer").scrollIntoView();
  }
  function markPreset() {
    const buttons = $("presets").querySelectorAll("button"), own = addressOf();
    presets.forEach((preset, i) => {
      const held = state;
      state = {op: preset.op, values: {...defaults(byName.get(preset.op)), ...copied(preset.values)}};
      buttons[i].setAttribute("aria-pressed", String(addressOf() === own));
      state = held;
    });
  }

  // --- the answer
  function sentenceOf(said) {
    if (said.comparison) return said.comparison.sentence;
    return said.error ? "The call is rejected." : `The result is ${said.result.text}.`;
  }
  // A name that may be broken behind each `_`.
  const breakable = (name) => name.split(/(?<=_)/).flatMap((part, i) => i ? [make("wbr"), part] : [part]);
  // `refusal` is shown already.
  function showAnswers(comparison, refusal) {
    $("comparison").hidden = !comparison;
    if (!comparison) return $("answers").replaceChildren();
    const sizes = {};
    for (const a of comparison.answers) if (a.group !== undefined) sizes[a.group] = (sizes[a.group] ?? 0) + 1;
    const usual = Object.keys(sizes).sort((a, b) => sizes[b] - sizes[a])[0];
    const reference = comparison.answers.find((a) => String(a.group) === usual && a.result)?.result;
    const width = Math.max(0, ...comparison.answers.flatMap((a) => (a.result?.cells ?? []).slice(0, 24).map((cell) => cell.length)));
    $("answers").replaceChildren(...comparison.answers.map((a) => {
      const odd = a.group !== undefined && String(a.group) !== usual;
      const row = make("tr", {className: a.operator === undefined ? "silent" : a.error ? `refused${odd ? " odd" : ""}` : odd ? "odd" : ""});
      row.append(make("th", {scope: "row", title: odd ? "answers otherwise than most" : ""}, a.dialect), make("td", {}, ...breakable(a.operator ?? "")), valueOf(a, reference, width, refusal));
      if (odd) row.firstChild.append(make("span", {className: "visually-hidden"}, " (differs)"));
      return row;
    }));
  }
  function valueOf(a, reference, width, refusal) {
    if (!a.result) return make("td", {className: "value text"}, a.error && a.error === refusal ? "rejects it: the message is above" : a.error ?? a.reason);
    if (a.result.size > 24) return make("td", {className: "value text"}, a.result.text);
    const last = a.result.shape.at(-1) ?? 1, cell = make("td", {className: "value"});
    let line;
    a.result.cells.forEach((text, i) => {
      if (i === 0 || (i % last === 0 && a.result.shape.length > 1)) cell.append(line = make("div"));
      const differs = reference && reference.cells[i] !== text;
      line.append(make("span", {className: differs ? "differs" : "", style: `min-width:${width}ch`}, text));
    });
    return a.result.cells.length ? cell : make("td", {className: "value"}, `empty, shape [${a.result.shape}]`);
  }
  // Strategies that declined for the same reason share a line.
  function explained(text) {
    const reasons = new Map(), lines = [];
    for (const line of text.split("\n")) {
      const [, name, reason] = /^ {2}strategy (\S+) declined: (.*)$/.exec(line) ?? [];
      if (!name) { lines.push(line); continue; }
      if (!reasons.has(reason)) { reasons.set(reason, []); lines.push(reason); }
      reasons.get(reason).push(name);
    }
    return lines.map((line) => reasons.has(line) ? `  declined because ${line}: ${reasons.get(line).join(", ")}` : line).join("\n");
  }

  let language = "python", values = null;  // the arguments for the code; null if the input cannot be read
  function showCode() {
    const op = operator();
    const languages = [["python", "Python"], ["cpp", "C++"], ...(code.titles[op.dialect] ? [["framework", code.titles[op.dialect]]] : [])];
    if (!languages.some(([name]) => name === language)) language = "python";
    $("tabs").replaceChildren(...languages.map(([name, title]) => make("button", {type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel", "aria-selected": String(name === language),
      tabIndex: name === language ? 0 : -1, onclick: () => { language = name; showCode(); $(`tab-${name}`).focus(); }}, title)));
    $("panel").setAttribute("aria-labelledby", `tab-${language}`);
    $("code").textContent = values ? code[language](op, values) : "The input cannot be read, so there is no call to show.";
    $("copy").hidden = !values;
  }
  $("tabs").addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const tabs = [...$("tabs").children], at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
    tabs[(at + step + tabs.length) % tabs.length].click();
  });
  $("copy").addEventListener("click", async () => {
    let copied = true;
    try {
      await navigator.clipboard.writeText($("code").textContent);
    } catch {
      getSelection().selectAllChildren($("code"));  // pages from a disk may have no clipboard
      copied = document.execCommand("copy");
    }
    $("copy").textContent = copied ? "Copied" : "Selected: press Ctrl+C";
    setTimeout(() => ($("copy").textContent = "Copy"), copied ? 1500 : 4000);
  });

  function show() {
    let said;
    try {
      const [request, given] = requestOf();
      values = given;
      said = answer(request);
    } catch (problem) {
      said = {error: {code: "usage", message: typeof problem === "string" ? problem : `the page could not compute this (${problem?.message ?? problem})`}};
    }
    if (said.error?.code === "usage") values = null;
    showCode();
    $("sentence").textContent = sentenceOf(said);
    $("error").hidden = !said.error;
    $("error").textContent = said.error?.message ?? "";
    $("error").className = said.picture ? "visually-hidden" : "";  // the picture has it, too
    showPicture(said.picture ?? "");
    $("legend").textContent = !said.picture || said.error ? "" : operator().scatters
      ? "How to read it: each update has its index beside it, and an arrow to its place. There the old number is small and the new one bold. A dashed arrow: a later update replaced this one."
      : "How to read it: each number of the result has its index beside it. An arrow leads there from the number that is read.";
    $("explain").textContent = said.explain ? explained(said.explain) : "It would not.";
    showAnswers(said.comparison, said.error?.message);
    markPreset();
  }
  // A picture shrinks a little if it must; then it scrolls.
  function showPicture(svg) {
    $("picture").innerHTML = svg;
    $("picture").hidden = !svg;
    const drawing = $("picture").querySelector("svg");
    if (drawing) drawing.style.minWidth = `${0.8 * drawing.getAttribute("width")}px`;
    markScrolling();
  }
  const markScrolling = () => $("picture").classList.toggle("scrolls", $("picture").scrollWidth > $("picture").clientWidth + 1);
  addEventListener("resize", () => {
    markScrolling();
    $("fields").querySelectorAll("textarea").forEach(fit);
  });

  let timer = 0;
  function changed(at_once = false) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const address = addressOf();
      if (address.length < 8000) history.replaceState(null, "", address);
      show();
    }, at_once ? 0 : 150);
  }
  $("dialect").addEventListener("change", (event) => pick(operators.find((op) => op.dialect === event.target.value)));
  $("operator").addEventListener("change", (event) => pick(byName.get(`${$("dialect").value}.${event.target.value}`)));
  function pick(op) {
    state = {op: `${op.dialect}.${op.name}`, values: defaults(op, state.values)};
    showForm();
    changed(true);
  }
  $("form").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => { if (location.hash !== addressOf() && fromAddress()) { showForm(); show(); } });

  showPresets();
  if (!fromAddress()) state = {op: presets[0].op, values: {...defaults(byName.get(presets[0].op)), ...copied(presets[0].values)}};
  showForm();
  show();
  globalThis.strewPage = {answer, ready: performance.now()};  // for tests: when the first answer was there
})();
