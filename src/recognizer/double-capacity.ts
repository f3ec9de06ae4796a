/** Copies an array into a new one of twice the length. The new half is 0. */
export function doubleCapacity<T extends Int32Array | Float32Array | Float64Array | Uint8Array>(array: T): T {
  const bigger = new (array.constructor as new (length: number) => T)(array.length * 2)
  bigger.set(array)
  return bigger
}
