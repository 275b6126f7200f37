import type { Diagnostic } from '../index.ts'
import type { PresetName } from '../model/preset.ts'

/** The problem and the next step as one log line. Commands in it get `--preset`, so that they read the preset's files. */
export function toSentences(
  { message, hint }: Pick<Diagnostic, 'message' | 'hint'>,
  preset: PresetName,
): string {
  if (!hint) return message
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  return `${sentence} ${hint.replace(commands, `$&--preset ${preset} `)}`
}

/** Our commands about a server, except those that name a preset already. */
const commands = /\bplugboard (?:enable|login|logs|review|trust|why) (?!--preset )/g
