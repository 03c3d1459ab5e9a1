// `FormData`, and the body of the type `multipart/form-data` that is sent for it.

import { Blob, File, bytesOfBlob } from "./blob.js";
import { Pairs } from "./pairs.js";

export class FormData extends Pairs {
  #entries = [];

  append(name, value, filename) {
    this.#entries.push([text(name), valueOf(value, filename)]);
  }

  set(name, value, filename) {
    const key = text(name);
    const at = this.#entries.findIndex(([known]) => known === key);
    const entry = [key, valueOf(value, filename)];
    if (at === -1) {
      this.#entries.push(entry);
      return;
    }
    this.#entries[at] = entry;
    this.#entries = this.#entries.filter(([known], index) => index <= at || known !== key);
  }

  get(name) {
    return this.getAll(name)[0] ?? null;
  }

  getAll(name) {
    return this.#entries.filter(([known]) => known === text(name)).map(([, value]) => value);
  }

  has(name) {
    return this.#entries.some(([known]) => known === text(name));
  }

  delete(name) {
    this.#entries = this.#entries.filter(([known]) => known !== text(name));
  }

  *entries() {
    for (const [name, value] of this.#entries) {
      yield [name, value];
    }
  }
}

function text(value) {
  return String(value).toWellFormed();
}

function valueOf(value, filename) {
  if (!(value instanceof Blob)) {
    return text(value);
  }
  if (value instanceof File && filename === undefined) {
    return value;
  }
  return new File([value], filename ?? "blob", { type: value.type });
}

/** The bytes that are sent for `form`, and their media type. */
export function encoded(form) {
  const boundary = `----tool-hub-${[1, 2, 3, 4].map(() => Math.random().toString(36).slice(2)).join("")}`;
  const parts = [];
  for (const [name, value] of form) {
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(lines(name))}"`);
    if (typeof value === "string") {
      parts.push("\r\n\r\n", lines(value), "\r\n");
    } else {
      const type = value.type || "application/octet-stream";
      parts.push(`; filename="${quoted(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`, value, "\r\n");
    }
  }
  const whole = new Blob([...parts, `--${boundary}--\r\n`]);
  return { bytes: bytesOfBlob(whole), type: `multipart/form-data; boundary=${boundary}` };
}

// Each end of a line as forms write it.
function lines(value) {
  return value.replace(/\r\n|\r|\n/g, "\r\n");
}

// A name must not end its quotation marks or its line.
function quoted(name) {
  return name.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
}
