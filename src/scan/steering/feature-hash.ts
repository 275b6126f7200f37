/** FNV-1a, 32 bits. A hash of a text goes on with a further text: `hash(b, hash(a))` is the hash of both. */
export function hashText(text: string, before = 0x811c9dc5): number {
  let hash = before
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
