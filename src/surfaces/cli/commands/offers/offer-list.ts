import type { Diagnostic, View } from '../../../../index.ts'
import { toListedDiagnostics } from '../../../../internal.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import type { Cli } from '../../command-context.ts'
import { scopeFilter } from '../../discover-servers.ts'
import { checkName, withHost } from '../../with-host.ts'
import { loadOffers, viewOf } from './find-offers.ts'
import type { OfferFlags } from './find-offers.ts'
import {
  brokenSettings,
  exitIfIncomplete,
  missingServers,
  noteHeld,
  printProblems,
  warnMissing,
} from './offer-problems.ts'

/** A kind of offer besides tools. */
interface OfferKind<Offer> {
  readonly what: 'resources' | 'prompts' | 'skills'
  find(view: View): readonly Offer[]
  /** The offer in `--json`. */
  flat(offer: Offer): object
  draw(found: readonly Offer[], canvas: Canvas): string
}

function badSkills(
  view: View,
  isMeant: (each: { readonly server: string }) => boolean,
): readonly Diagnostic[] {
  return view.problems().filter(({ code, server = '' }) => code === 'skill-unusable' && isMeant({ server }))
}

/** Prints all offers of a kind, of all servers or of one. */
export async function showOffers<Offer extends { readonly server: string }>(
  cli: Cli,
  flags: OfferFlags,
  { kind, server }: { readonly kind: OfferKind<Offer>; readonly server: string | undefined },
): Promise<void> {
  await withHost(
    cli,
    flags,
    async (context) => {
      const { host, output } = context
      const only = server === undefined ? undefined : await checkName(host, flags, server)
      const view = await viewOf(context, flags)
      await loadOffers(context, flags, { view, names: only === undefined ? undefined : [only] })
      const isInScope = scopeFilter(host, flags)
      const isMeant = (each: { readonly server: string }) =>
        isInScope(each) && (only ?? each.server) === each.server
      const found = kind.find(view).filter(isMeant)
      const missing = missingServers(host, flags).filter(isMeant)
      const problems = [
        ...brokenSettings(view, host),
        ...(kind.what === 'skills' ? badSkills(view, isMeant) : []),
      ]
      const fields = {
        [kind.what]: found.map((each) => kind.flat(each)),
        missing,
        ...(problems.length > 0 && { diagnostics: toListedDiagnostics(problems) }),
      }
      if (flags.json || found.length > 0) output.result(fields, (canvas) => kind.draw(found, canvas))
      else output.note(`No ${kind.what} are offered here.`)
      warnMissing(missing, output)
      noteHeld(host, output, isMeant)
      printProblems(problems, output)
      exitIfIncomplete(cli, context, { found, missing, problems })
    },
    { brokenFiles: 'fail' },
  )
}
