import type { Style } from './style.ts'

/** What a state means to a person: fine, of no concern, worth a look, broken, waiting for an answer. */
export type Tone = 'ok' | 'dim' | 'warn' | 'bad' | 'ask'

export function paintTone(text: string, tone: Tone, style: Style): string {
  const paints = {
    ok: style.green,
    dim: style.dim,
    warn: style.yellow,
    bad: style.red,
    ask: style.yellow,
  } as const
  return paints[tone](text)
}
