// `util.types`, and `util/types`.

import { types as nodeTypes } from "unenv/node/util";

const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);
const named = (...names) => (value) => typeof value === "object" && value !== null && names.includes(tag(value));
const kindOf = (name) => (value) => typeof value === "function" && tag(value) === name;

export const isAnyArrayBuffer = named("ArrayBuffer", "SharedArrayBuffer");
export const isArgumentsObject = named("Arguments");
export const isArrayBuffer = named("ArrayBuffer");
export const isArrayBufferView = (value) => ArrayBuffer.isView(value);
export const isAsyncFunction = kindOf("AsyncFunction");
export const isBoxedPrimitive = named("Number", "String", "Boolean", "BigInt", "Symbol");
export const isDataView = named("DataView");
export const isDate = named("Date");
export const isGeneratorFunction = kindOf("GeneratorFunction");
export const isGeneratorObject = named("Generator");
export const isMap = named("Map");
export const isMapIterator = named("Map Iterator");
export const isNativeError = (value) => value instanceof Error;
export const isPromise = (value) => value instanceof Promise;
export const isProxy = () => false;
export const isRegExp = named("RegExp");
export const isSet = named("Set");
export const isSetIterator = named("Set Iterator");
export const isSharedArrayBuffer = named("SharedArrayBuffer");
export const isTypedArray = (value) => ArrayBuffer.isView(value) && !isDataView(value);
export const isUint8Array = (value) => value instanceof Uint8Array;
export const isWeakMap = named("WeakMap");
export const isWeakSet = named("WeakSet");

const ARRAYS = [
  "BigInt64Array", "BigUint64Array", "Float32Array", "Float64Array", "Int16Array", "Int32Array", "Int8Array", "Uint16Array", "Uint32Array", "Uint8ClampedArray",
];
export const [
  isBigInt64Array, isBigUint64Array, isFloat32Array, isFloat64Array, isInt16Array, isInt32Array, isInt8Array, isUint16Array, isUint32Array,
  isUint8ClampedArray,
] = ARRAYS.map((name) => named(name));

export default {
  ...nodeTypes, isAnyArrayBuffer, isArgumentsObject, isArrayBuffer, isArrayBufferView, isAsyncFunction, isBigInt64Array, isBigUint64Array, isBoxedPrimitive,
  isDataView, isDate, isFloat32Array, isFloat64Array, isGeneratorFunction, isGeneratorObject, isInt16Array, isInt32Array, isInt8Array, isMap, isMapIterator,
  isNativeError, isPromise, isProxy, isRegExp, isSet, isSetIterator, isSharedArrayBuffer, isTypedArray, isUint16Array, isUint32Array, isUint8Array,
  isUint8ClampedArray, isWeakMap, isWeakSet,
};
