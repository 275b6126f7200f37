import type { Tool } from '../../index.ts'

const longestSummary = 120

/** The first sentence of the description. */
export function toolSummary({ title = '', description }: Pick<Tool, 'title' | 'description'>): string {
  const [line = ''] = description.trim().split('\n', 1)
  const end = line.indexOf('. ')
  const sentence = end > 0 ? line.slice(0, end + 1) : line
  const text = sentence === '' ? title : sentence
  return text.length > longestSummary ? `${text.slice(0, longestSummary - 1)}…` : text
}
