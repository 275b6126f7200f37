import { toRef } from '../../../../index.ts'
import type { Json, OfferedPrompt, View } from '../../../../index.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import type { Cli } from '../../command-context.ts'
import { textOf } from '../../output/tool-result.ts'
import type { OfferFlags } from './find-offers.ts'
import { showOffers } from './offer-list.ts'

/** Lists the prompts that servers offer, with their arguments. */
export function prompts(cli: Cli, flags: OfferFlags, server?: string): Promise<void> {
  return showOffers(cli, flags, { kind: promptKind, server })
}

const promptKind = {
  what: 'prompts',
  find: (view: View) => view.prompts(),
  flat: ({ server, prompt: offered }: OfferedPrompt) => ({ server, ...offered }),
  draw: drawTable,
} as const

function drawTable(found: readonly OfferedPrompt[], { style, width }: Canvas): string {
  return renderTable<OfferedPrompt>(
    [
      { title: 'PROMPT', value: refOf, fit: 'essential', paint: style.bold },
      { title: 'TAKES', value: argumentsOf, fit: { shrinkTo: 10 } },
      {
        title: 'DOES',
        value: ({ prompt: offered }) =>
          textOf(offered['description'] ?? offered['title'])
            .split('\n', 1)
            .join(''),
        fit: { shrinkTo: 16 },
        paint: style.dim,
      },
    ],
    found,
    { width, paintTitle: style.dim },
  )
}

function refOf({ server, prompt: offered }: OfferedPrompt): string {
  return toRef(server, textOf(offered['name']))
}

function argumentsOf({ prompt: offered }: OfferedPrompt): string {
  const list = offered['arguments']
  if (!Array.isArray(list)) return ''
  return (list as readonly Json[]) // isArray does not narrow a readonly union
    .flatMap((each) => {
      if (typeof each !== 'object' || each === null || !('name' in each)) return []
      return [`${textOf(each['name'])}${each['required'] === true ? '' : '?'}`]
    })
    .join(', ')
}
