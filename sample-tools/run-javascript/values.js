// Pictures and sounds as values of JavaScript, and values as JSON and as text.

/** A picture or a sound: its media type and the bytes that a file of it has. */
export class Media {
  constructor(mediaType, data) {
    this.mediaType = mediaType;
    this.data = new Uint8Array(data);
  }

  toString() {
    return `<${this.mediaType}, ${this.data.length} bytes>`;
  }
}

/** The value of a JSON text, with pictures and sounds for the objects that stand for them. */
export function fromJson(text) {
  return JSON.parse(text, (_, value) => {
    const isMedia = typeof value?.media_type === 'string' && typeof value.data === 'string'
      && Object.keys(value).length === 2;
    return isMedia ? new Media(value.media_type, Uint8Array.fromBase64(value.data)) : value;
  });
}

/** The same the other way round. Throws a TypeError for what JSON cannot say. */
export function toJson(value) {
  return JSON.stringify(value, (_, member) => {
    if (member instanceof Media) return { media_type: member.mediaType, data: member.data.toBase64() };
    if (member instanceof Map) return Object.fromEntries(member);
    if (member instanceof Set) return [...member];
    if (member instanceof Promise) throw new TypeError('a promise is nothing that a tool can be given; await it');
    if (typeof member === 'function' || (typeof member === 'number' && !Number.isFinite(member))) {
      throw new TypeError(`${shown(member)} is nothing that a tool can be given`);
    }
    return member;
  });
}

/** The value as a person or a model reads it. */
export function shown(value) {
  const text = inJson(value);
  return typeof text === 'string' ? text : written(value) ?? String(value);
}

/** The value in JSON, or in words where JSON has none. */
export function plain(value) {
  const text = written(value);
  return text === undefined ? String(value) : JSON.parse(text);
}

// Undefined for what is undefined or holds itself.
function written(value) {
  try {
    return JSON.stringify(value, (_, member) => inJson(member));
  } catch {
    return undefined;
  }
}

function inJson(value) {
  switch (typeof value) {
    case 'function':
      return `[function ${value.name}]`;
    case 'bigint':
    case 'symbol':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'object':
      if (value instanceof Map) return Object.fromEntries(value);
      if (value instanceof Set) return [...value];
      if (value instanceof Media || value instanceof Error) return String(value);
      if (value instanceof Promise) return '[promise]';
      if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
      return value;
    default:
      return value;
  }
}
