import { unpainted } from './style.ts'
import { displayWidth } from './width.ts'

/**
 * A line, painted or not, broken between its words: what follows stands below its text and not below its label, so that
 * it cannot be taken for a line of its own.
 */
export function hang(line: string, width: number | undefined): string {
  if (width === undefined || widthOf(line) <= width) return line
  const [label = ''] = /^ *(?:\S+(?: \S+)? {2,})?/.exec(unpainted(line)) ?? []
  const indent = ' '.repeat(Math.max(2, displayWidth(label)))
  const lines: string[] = []
  let current = ''
  for (const [, blanks = '', word = ''] of line.matchAll(/( *)([^ ]+)/g)) {
    const isFull = widthOf(current + blanks + word) > width && widthOf(current) > indent.length
    if (isFull) lines.push(current)
    current = isFull ? indent + word : current + blanks + word
  }
  return [...lines, current].join('\n')
}

function widthOf(text: string): number {
  return displayWidth(unpainted(text))
}
