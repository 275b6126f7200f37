/** Where in the arguments something is, as a list from the inside out: most values are fine and need no text of it. */
export interface ArgumentPath {
  readonly above: ArgumentPath | undefined
  readonly key: string | number
}

const maxKey = 100

/** `filter.labels[2]["odd key"]` */
export function showPath(place: ArgumentPath | undefined): string {
  const keys: (string | number)[] = []
  for (let at = place; at; at = at.above) keys.unshift(at.key)
  return keys.reduce<string>((path, key) => path + stepOf(key, path === ''), '')
}

function stepOf(key: string | number, isFirst: boolean): string {
  if (typeof key === 'number') return `[${key}]`
  const short = key.length > maxKey ? `${key.slice(0, maxKey)}…` : key
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(short)) return `[${JSON.stringify(short)}]`
  return isFirst ? short : `.${short}`
}
