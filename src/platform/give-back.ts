/** A smaller one takes no more than the objects around it. */
const smallest = 1024

/**
 * Frees the memory of bytes that nobody reads any more, now: left to the collector, what a flood leaves behind piles up.
 * Node 24 does not even look at memory outside its heap before there is enough to collect within it (FI-26).
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  // Bytes that are only a part of a buffer share it with others.
  if (byteLength < smallest || byteLength !== buffer.byteLength) return
  const { transfer } = buffer as { readonly transfer?: (length: number) => ArrayBuffer } // not in the types, nor in Node 20
  if (transfer) transfer.call(buffer, 0)
  else nobody()?.postMessage(undefined, [buffer as ArrayBuffer]) // nothing that was read is shared memory
}

type Port = InstanceType<typeof MessagePort>
let closed: Port | undefined

/** A port that is closed: what is handed over to it is gone. Where there are no ports, a collection does it. */
function nobody(): Port | undefined {
  if (closed || typeof MessageChannel === 'undefined') return closed
  const { port1 } = new MessageChannel()
  port1.close()
  closed = port1
  return closed
}
