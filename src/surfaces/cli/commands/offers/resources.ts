import type { OfferedResource, View } from '../../../../index.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import type { Cli } from '../../command-context.ts'
import { textOf } from '../../output/tool-result.ts'
import type { OfferFlags } from './find-offers.ts'
import { showOffers } from './offer-list.ts'

/** Lists the resources and resource templates that servers offer. */
export function resources(cli: Cli, flags: OfferFlags, server?: string): Promise<void> {
  return showOffers(cli, flags, { kind: resourceKind, server })
}

const resourceKind = {
  what: 'resources',
  find: (view: View) => view.resources(),
  flat: ({ server, resource }: OfferedResource) => ({ server, ...resource }),
  draw,
} as const

function draw(found: readonly OfferedResource[], { style, width }: Canvas): string {
  return renderTable<OfferedResource>(
    [
      {
        title: 'RESOURCE',
        value: ({ resource }) => textOf(resource['uri'] ?? resource['uriTemplate']),
        fit: 'essential',
        paint: style.bold,
      },
      { title: 'SERVER', value: ({ server }) => server, fit: { shrinkTo: 8 } },
      { title: 'TYPE', value: ({ resource }) => textOf(resource['mimeType']), fit: { shrinkTo: 8 } },
      {
        title: 'NAME',
        value: ({ resource }) => textOf(resource['title'] ?? resource['name']),
        fit: { shrinkTo: 12 },
        paint: style.dim,
      },
    ],
    found,
    { width, paintTitle: style.dim },
  )
}
