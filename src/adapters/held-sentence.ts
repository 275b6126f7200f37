import type { HostEvent } from '../index.ts'
import { nextCommand } from '../model/next-command.ts'
import type { PresetName } from '../model/preset.ts'

type HeldEvent = Extract<HostEvent, { readonly type: 'offer.held' }>

const reasons: Readonly<Record<string, string>> = {
  changed: 'its definition has changed since it was accepted',
  renamed: 'it was accepted under another name',
  loosened: 'it promises less, or takes more, than what was accepted',
  added: 'it is new, and was never accepted',
  scan: 'the scanner found something bad in it',
  rejected: 'a person rejected it',
  lock: 'it differs from mcp.lock.json of the project',
}

/** One log line for each held offer. The names are those of servers: line ends and other control characters are escaped. */
export function heldSentences({ server, offers }: HeldEvent, preset: PresetName): readonly string[] {
  const review = nextCommand(`review --preset ${preset}`, server)
  return offers.map(({ kind, name, reason }) => {
    const why = reasons[reason] ?? 'it was not accepted'
    return `The ${kind} ${JSON.stringify(name)} of "${server}" is held and not offered: ${why}. Review it: ${review}`
  })
}
