import type { View } from '../../../../index.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import type { Cli } from '../../command-context.ts'
import { inScope } from '../../discover-servers.ts'
import { checkName, withHost } from '../../with-host.ts'
import { learn, viewOf } from './find-offers.ts'
import type { OfferFlags } from './find-offers.ts'
import { leaveEmpty, missingIn, tellBrokenSettings, tellMissing } from './offer-problems.ts'

/** One kind of what servers offer beside tools. */
interface Kind<Offer> {
  readonly what: 'resources' | 'prompts'
  find(view: View): readonly Offer[]
  /** For `--json`. */
  flat(offer: Offer): object
  draw(found: readonly Offer[], canvas: Canvas): string
}

/** Everything of a kind that is offered here, or by one server. */
export async function showOffers<Offer extends { readonly server: string }>(
  cli: Cli,
  flags: OfferFlags,
  { kind, server }: { readonly kind: Kind<Offer>; readonly server: string | undefined },
): Promise<void> {
  await withHost(cli, flags, async (opened) => {
    const { host, output } = opened
    const only = server === undefined ? undefined : await checkName(host, flags, server)
    await learn(opened, flags, only === undefined ? undefined : [only])
    const isInScope = inScope(host, flags)
    const isMeant = (each: { readonly server: string }) =>
      isInScope(each) && (only ?? each.server) === each.server
    const view = await viewOf(opened, flags)
    const found = kind.find(view).filter(isMeant)
    const missing = missingIn(host, flags).filter(isMeant)
    if (flags.json) output.result({ [kind.what]: found.map((each) => kind.flat(each)), missing }, () => '')
    else if (found.length > 0) output.result(found, (all, canvas) => kind.draw(all, canvas))
    else output.note(`No ${kind.what} are offered here.`)
    tellMissing(missing, output)
    tellBrokenSettings(view, output)
    leaveEmpty(cli, found, missing)
  })
}
