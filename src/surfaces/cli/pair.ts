import { usage } from './errors.ts'

/** One `--input`: what was asked for, and the answer. */
export function parsePair(item: string): readonly [string, string] {
  const at = item.indexOf('=')
  if (at < 1) throw usage('--input takes ID=VALUE.')
  return [item.slice(0, at), item.slice(at + 1)]
}
