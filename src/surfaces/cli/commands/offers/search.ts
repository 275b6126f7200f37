import type { Cli } from '../../command-context.ts'
import { scopeFilter } from '../../discover-servers.ts'
import { withHost } from '../../with-host.ts'
import { loadUntil, viewOf } from './find-offers.ts'
import type { OfferFlags } from './find-offers.ts'
import {
  brokenSettings,
  exitIfIncomplete,
  missingServers,
  noteHeld,
  printProblems,
  warnMissing,
} from './offer-problems.ts'
import { nothingFound, printTools } from './tools.ts'

export interface SearchFlags extends OfferFlags {
  readonly limit?: number
}

/** Finds tools that match the words, best match first. */
export async function search(cli: Cli, flags: SearchFlags, ...words: string[]): Promise<void> {
  const { limit = 20 } = flags
  await withHost(
    cli,
    flags,
    async (context) => {
      const view = await viewOf(context, flags)
      const text = words.join(' ')
      const isMeant = scopeFilter(context.host, flags)
      const find = () =>
        view.search(text, { limit: flags.scope ? view.tools().length : limit }).filter(isMeant)
      // What is known answers most searches; servers are asked only if it does not.
      await loadUntil(() => find().length > 0, context, flags, view)
      const found = find()
      const missing = missingServers(context.host, flags, { withUnasked: !flags.noStart })
      const problems = brokenSettings(view, context.host)
      const offered = { problems, found: found.slice(0, limit), missing, instructions: view.instructions() }
      printTools(offered, context.output, flags)
      if (found.length === 0 && !flags.json) context.output.note(nothingFound(text, 'tools'))
      warnMissing(missing, context.output)
      if (found.length === 0) noteHeld(context.host, context.output, isMeant)
      printProblems(problems, context.output)
      exitIfIncomplete(cli, context, { found, missing, problems })
    },
    { brokenFiles: 'fail' },
  )
}
