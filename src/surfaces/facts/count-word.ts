/** `1 needs trust`, `2 need trust`, `3 ready`. */
export function countWord(count: number, word: string): string {
  return `${count} ${count === 1 ? word : word.replace(/^needs /, 'need ')}`
}

/** `1 row`, `2 rows`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
