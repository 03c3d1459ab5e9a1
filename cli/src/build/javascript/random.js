// Replaces `Math.random` in JavaScript projects, so that each call gets other numbers.
// It is put before every project's own code. The engine's numbers go on where they stood when the
// component was built, so each call would get the same ones.

import { random } from "./random_numbers.js";

Math.random = random;
