/** Letters of other scripts, and digits, that look like the Latin letter they stand before. */
const lookAlikes: Readonly<Record<string, string>> = {
  a: 'аɑαạ@',
  b: 'Ьƅ',
  c: 'сϲⅽ',
  d: 'ԁⅾ',
  e: 'еєҽ',
  g: 'ɡԍ',
  h: 'һհ',
  j: 'јϳ',
  k: 'κк',
  l: 'iıіι1ӏⅼ|!',
  m: 'м',
  n: 'ոп',
  o: '0оοօ',
  p: 'рρ',
  q: 'ԛ',
  r: 'гᴦ',
  s: 'ѕꜱ5',
  t: 'тτ',
  u: 'υս',
  v: 'νѵ',
  w: 'ԝωѡ',
  x: 'хχ',
  y: 'уүγ',
  z: 'ᴢ',
}

const latinOf = new Map(
  Object.entries(lookAlikes).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin])),
)

const ignorable = /\p{Default_Ignorable_Code_Point}/gu
const marks = /\p{M}/gu

/** The name in lower case, without invisible characters and in one width. */
export function foldName(name: string): string {
  return name.normalize('NFKC').replace(ignorable, '').toLowerCase()
}

/** What a name looks like: equal for two names that a person cannot tell apart. */
export function skeletonOf(name: string): string {
  const plain = foldName(name).normalize('NFD').replace(marks, '')
  const letters = Array.from(plain, (letter) => latinOf.get(letter) ?? letter).join('')
  return letters.replaceAll('rn', 'm').replaceAll('vv', 'w')
}

/** Without what separates words: `readFile`, `read_file` and `read-file` are one. */
export function joinWords(name: string): string {
  return foldName(name).replace(/[\s_.:/-]+/g, '')
}

/**
 * Whether one edit leads from one to the other: a letter more, less or other, or two neighbors swapped. Linear, because
 * names come from servers.
 */
export function isOneEdit(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (x.length <= 1 && y.length <= 1) return true
  return x.length === 2 && y.length === 2 && x[0] === y[1] && x[1] === y[0]
}

/** Whether a name is more than one common word, so that its use somewhere else is no accident. */
export function isDistinctive(name: string): boolean {
  return joinWords(name).length >= 7 && /[\p{L}\p{N}][_.:/-][\p{L}\p{N}]|\p{Ll}\p{Lu}/u.test(name)
}
