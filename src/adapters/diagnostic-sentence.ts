import type { Diagnostic } from '../index.ts'
import type { PresetName } from '../model/preset.ts'

/** What is wrong and what to do, as one text for a log, with commands that find what the preset's files declare. */
export function toSentences(
  { message, hint }: Pick<Diagnostic, 'message' | 'hint'>,
  preset: PresetName,
): string {
  if (!hint) return message
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  return `${sentence} ${hint.replace(commands, `$&--preset ${preset} `)}`
}

/** Commands of ours about a server; one that names a preset already is left as it is. */
const commands = /\bplugboard (?:enable|login|logs|trust|why) (?!--preset )/g
