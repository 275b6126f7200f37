/** Smaller buffers are left to the collector: they cost no more than the objects around them. */
const minBytes = 1024

/**
 * Frees the memory of bytes that were read, at once: left to the collector, the chunks of a flood would pile up.
 * Node 24 does not consider memory outside its heap before there is enough to collect within it (FI-26).
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  // A view of a part of a buffer shares its memory with other views.
  if (byteLength < minBytes || byteLength !== buffer.byteLength) return
  const { transfer } = buffer as { readonly transfer?: (length: number) => ArrayBuffer } // not in the types, nor in Node 20
  if (transfer) transfer.call(buffer, 0)
  else getClosedPort()?.postMessage(undefined, [buffer as ArrayBuffer]) // chunks that were read are never shared memory
}

type Port = InstanceType<typeof MessagePort>
let closedPort: Port | undefined

/** A closed port: a buffer transferred to it is freed. Without ports, the collector frees it later. */
function getClosedPort(): Port | undefined {
  if (closedPort || typeof MessageChannel === 'undefined') return closedPort
  const { port1 } = new MessageChannel()
  port1.close()
  closedPort = port1
  return closedPort
}
