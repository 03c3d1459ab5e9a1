// Numbers and times in English, which is what Node writes where no language is set. QuickJS has no
// words of languages, and writes numbers without groups of digits.

const isEnglish = (locales) => locales === undefined || /^en(-US)?$/.test(String(locales));
const SYMBOLS = { USD: "$", EUR: "€", GBP: "£", JPY: "¥" };

/** The decimal text of a number that is not negative, rounded half up as it is written. */
function rounded(value, least, most) {
  const shifted = Number(`${Math.round(Number(`${value}e${most}`))}e-${most}`);
  const [whole, part = ""] = (Number.isNaN(shifted) ? value : shifted).toFixed(most).split(".");
  const kept = part.replace(/0+$/, "").padEnd(least, "0");
  return [whole, kept].filter(Boolean).join(".");
}

function written(value, { style, currency, useGrouping = true, minimumFractionDigits, maximumFractionDigits } = {}) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞";
  const usual = style === "percent" ? [0, 0] : style === "currency" ? [2, 2] : [0, 3];
  const least = minimumFractionDigits ?? Math.min(usual[0], maximumFractionDigits ?? usual[0]);
  const most = maximumFractionDigits ?? Math.max(usual[1], least);
  const text = rounded(Math.abs(style === "percent" ? value * 100 : value), least, most);
  const grouped = useGrouping ? text.replace(/^\d+/, (it) => it.replace(/\B(?=(\d{3})+$)/g, ",")) : text;
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return `${sign}${style === "currency" ? SYMBOLS[currency] : ""}${grouped}${style === "percent" ? "%" : ""}`;
}

const KNOWN = ["style", "currency", "useGrouping", "minimumFractionDigits", "maximumFractionDigits"];
const isKnown = (options = {}) =>
  Object.keys(options).every((name) => KNOWN.includes(name)) &&
  [undefined, "decimal", "percent", "currency"].includes(options.style) && (options.style !== "currency" || options.currency in SYMBOLS);

const byEngine = Number.prototype.toLocaleString;
Number.prototype.toLocaleString = function (locales, options) {
  const isOurs = isEnglish(locales) && isKnown(options) && Math.abs(this) < 1e21;
  return isOurs || !Number.isFinite(Number(this)) ? written(Number(this), options) : byEngine.call(this, locales, options);
};
BigInt.prototype.toLocaleString = function () {
  return String(this).replace(/\B(?=(\d{3})+$)/g, ",");
};

// Times are in UTC: a tool is told no other zone.
const day = (it) => `${it.getMonth() + 1}/${it.getDate()}/${it.getFullYear()}`;
const time = (it) => {
  const [hours, ...rest] = [it.getHours(), it.getMinutes(), it.getSeconds()];
  const words = rest.map((part) => String(part).padStart(2, "0"));
  return `${hours % 12 || 12}:${words.join(":")} ${hours < 12 ? "AM" : "PM"}`;
};
for (const [name, text] of [
  ["toLocaleDateString", day],
  ["toLocaleTimeString", time],
  ["toLocaleString", (it) => `${day(it)}, ${time(it)}`],
]) {
  const given = Date.prototype[name];
  Date.prototype[name] = function (locales, options) {
    const isOurs = isEnglish(locales) && Object.keys(options ?? {}).length === 0;
    if (!isOurs) return given.call(this, locales, options);
    return Number.isNaN(this.getTime()) ? "Invalid Date" : text(this);
  };
}
