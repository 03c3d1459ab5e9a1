// The methods by which one goes through `Headers` and `FormData`.

/** What has pairs of a name and a value, which `entries` gives. */
export class Pairs {
  forEach(run, self) {
    for (const [name, value] of this) {
      run.call(self, value, name, this);
    }
  }

  *keys() {
    for (const [name] of this) {
      yield name;
    }
  }

  *values() {
    for (const [, value] of this) {
      yield value;
    }
  }

  [Symbol.iterator]() {
    return this.entries();
  }
}
