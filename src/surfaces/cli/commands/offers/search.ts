import type { Cli } from '../../command-context.ts'
import { inScope } from '../../discover-servers.ts'
import { withHost } from '../../with-host.ts'
import { learn, viewOf } from './find-offers.ts'
import type { OfferFlags } from './find-offers.ts'
import { leaveEmpty, missingIn, tellMissing } from './offer-problems.ts'
import { nothing, show } from './tools.ts'

export interface SearchFlags extends OfferFlags {
  readonly limit?: number
}

/** The tools that fit some words, the best first. */
export async function search(cli: Cli, flags: SearchFlags, ...words: string[]): Promise<void> {
  const { limit = 20 } = flags
  await withHost(cli, flags, async (opened) => {
    await learn(opened, flags)
    const view = await viewOf(opened, flags)
    const text = words.join(' ')
    const isMeant = inScope(opened.host, flags)
    const found = view.search(text, { limit: flags.scope ? view.tools().length : limit }).filter(isMeant)
    const missing = missingIn(opened.host, flags)
    const offered = { found: found.slice(0, limit), missing, instructions: view.instructions() }
    show(offered, opened.output, flags)
    if (found.length === 0 && !flags.json) opened.output.note(nothing(text, 'tools'))
    tellMissing(missing, opened.output)
    leaveEmpty(cli, found, missing)
  })
}
