// Describes the structure of a JSON value: its places and the kinds of values there.

const PLACES_MAX = 500;

/** Places with the kinds of values there, level by level, down to `depth` levels. */
export function shape(value, depth) {
  const places = new Map();
  let level = [{ path: '', value }];
  for (let deep = 0; deep <= depth && level.length > 0; deep += 1) {
    const next = [];
    for (const { path, value: current } of level) {
      if (!note(places, path, kindOf(current))) continue;
      if (Array.isArray(current)) {
        for (const item of current) next.push({ path: `${path}[]`, value: item });
      } else if (kindOf(current) === 'object') {
        for (const [name, item] of Object.entries(current)) {
          next.push({ path: path === '' ? identifier(name) : `${path}.${identifier(name)}`, value: item });
        }
      }
    }
    level = next;
  }
  return [...places].map(([path, { kinds, count }]) => ({ path, kinds: [...kinds].sort(), count }));
}

function note(places, path, kind) {
  const place = places.get(path) ?? { kinds: new Set(), count: 0 };
  if (place.count === 0) {
    if (places.size === PLACES_MAX) return false;
    places.set(path, place);
  }
  place.kinds.add(kind);
  place.count += 1;
  return true;
}

function kindOf(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function identifier(name) {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
