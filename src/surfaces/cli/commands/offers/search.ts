import type { Cli } from '../../command-context.ts'
import { scopeFilter } from '../../discover-servers.ts'
import { withHost } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'
import { loadOffers, viewOf } from './find-offers.ts'
import type { OfferFlags } from './find-offers.ts'
import {
  brokenSettings,
  exitIfIncomplete,
  missingServers,
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
      await context.host.ready({ from: 'disk' })
      if (find().length === 0) await loadUntil(() => find().length > 0, context, flags)
      const found = find()
      const missing = missingServers(context.host, flags, { withUnasked: !flags.noStart })
      const problems = brokenSettings(view, context.host)
      const offered = { problems, found: found.slice(0, limit), missing, instructions: view.instructions() }
      printTools(offered, context.output, flags)
      if (found.length === 0 && !flags.json) context.output.note(nothingFound(text, 'tools'))
      warnMissing(missing, context.output)
      printProblems(problems, context.output)
      exitIfIncomplete(cli, context, { found, missing, problems })
    },
    { brokenFiles: 'fail' },
  )
}

/** How long a search waits for more once a server has something. */
const moreMs = 1000

/** Loads the offers of servers until something is found, and a little longer: one slow server must not delay the answer. */
async function loadUntil(isFound: () => boolean, context: HostContext, flags: SearchFlags): Promise<void> {
  const enough = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const listening = context.host.on(({ type }) => {
    if (type === 'catalog.changed' && isFound()) timer ??= setTimeout(() => enough.abort(), moreMs)
  })
  try {
    await loadOffers({ ...context, signal: AbortSignal.any([context.signal, enough.signal]) }, flags)
  } catch (error) {
    if (!enough.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
    listening[Symbol.dispose]()
  }
}
