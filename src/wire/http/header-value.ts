/**
 * A value as HTTP carries it safely: plain ASCII as it is, anything else, and anything that looks like the encoded
 * form already, as base64 of its UTF-8.
 */
export function encodeHeaderValue(value: string): string {
  return isPlain(value) ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`
}

/** A tab inside would be allowed, but not every reader agrees; encoded, all of them do. */
function isPlain(value: string): boolean {
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return false
  return !(value.startsWith('=?base64?') && value.endsWith('?='))
}
