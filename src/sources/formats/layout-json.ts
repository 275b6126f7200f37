import { isObject } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'

export interface Layout {
  readonly eol: string
  /** One step of indentation. */
  readonly unit: string
  /** Indentation of the value itself. */
  readonly indent: string
}

const longestLine = 80

/** A value over several lines: one member per line; short lists of scalars stay on one line. */
export function layoutJson(value: Json, layout: Layout): string {
  const { eol, unit, indent } = layout
  const inner = { ...layout, indent: indent + unit }
  const block = (open: string, lines: readonly string[], close: string) =>
    `${open}${eol}${lines.map((line) => inner.indent + line).join(`,${eol}`)}${eol}${indent}${close}`
  if (Array.isArray(value)) {
    const items = value as readonly Json[] // Array.isArray does not narrow a readonly union
    const line = inlineJson(items, spaced)
    const short =
      line.length + indent.length <= longestLine && items.every((item) => typeof item !== 'object')
    return short || items.length === 0
      ? line
      : block(
          '[',
          items.map((item) => layoutJson(item, inner)),
          ']',
        )
  }
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value)
  if (members.length === 0) return '{}'
  return block(
    '{',
    members.map(([key, item]) => `${JSON.stringify(key)}: ${layoutJson(item, inner)}`),
    '}',
  )
}

export interface Spacing {
  readonly colon: string
  readonly comma: string
}

export const spaced: Spacing = { colon: ': ', comma: ', ' }
export const tight: Spacing = { colon: ':', comma: ',' }

export function inlineJson(value: Json, spacing: Spacing): string {
  if (Array.isArray(value)) {
    const items = value as readonly Json[] // as above
    return `[${items.map((item) => inlineJson(item, spacing)).join(spacing.comma)}]`
  }
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}${spacing.colon}${inlineJson(item, spacing)}`,
  )
  const pad = spacing === spaced && members.length > 0 ? ' ' : ''
  return `{${pad}${members.join(spacing.comma)}${pad}}`
}

/** One step of a text's indentation, taken from its first member; two spaces by default. */
export function indentUnit(text: string): string {
  return /^[^\S\n]*[{[][^\n]*\n(?:[^\S\n]*(?:\/\/[^\n]*)?\n)*([ \t]+)\S/.exec(text)?.[1] ?? '  '
}
