import type { JsonObject } from '../../model/json.ts'
import type { ToolLabel } from '../../model/tool-label.ts'
import { toolLabels } from '../../model/tool-label.ts'
import { toRef } from '../../model/tool.ts'
import type { ServerOffers } from '../scan-offers.ts'
import { exampleServer } from './cross-rule.ts'
import type { CrossOptions, CrossRule } from './cross-rule.ts'
import { labelsOf } from './tool-labels.ts'

const web = exampleServer('web', { fetch_page: 'Fetches a web page.' })
const files = exampleServer('files', { read_file: 'Reads a file.' })
const mail = exampleServer('mail', { send_email: 'Sends a mail.' })

/** Strangers' text, private data and a way out in one place: text of the first can lead the second through the third. */
export const trifectaRule: CrossRule = {
  id: 'XS-004',
  severity: 'medium',
  title: 'Untrusted text, private data and a way out together',
  reason: 'A text that a stranger wrote can make a model read private data and send it away.',
  remedy: 'Disable one of the three for this agent, or set "trifecta" to "ask" or "block".',
  hits: [[web, files, mail]],
  misses: [[files, mail], [files], [web, exampleServer('colors', { mix: 'Mixes colors.' })]],
  find: (all, options) => {
    const path = trifectaPath(all, options)
    const [first, second, last] = path ?? []
    if (!first || !second || !last) return []
    const message = `Used together: ${first.ref} brings in text of strangers, ${second.ref} reads private data, ${last.ref} can send it away.`
    return [{ severity: 'medium', subject: { kind: 'server', server: last.server }, pointer: '', message }]
  },
}

function refOf(server: string, { name }: JsonObject): string {
  return toRef(server, typeof name === 'string' ? name : '')
}

interface Step {
  readonly ref: string
  readonly server: string
}

/** One tool for each of the three, from as many servers as possible; nothing if one of the three is missing. */
function trifectaPath(all: readonly ServerOffers[], { labels }: CrossOptions): readonly Step[] | undefined {
  const steps = new Map<ToolLabel, Step[]>(toolLabels.map((label) => [label, []]))
  for (const { server, tools } of all)
    for (const tool of tools)
      for (const label of labelsOf(server, tool, labels))
        steps.get(label)?.push({ server, ref: refOf(server, tool) })
  const path: Step[] = []
  for (const label of toolLabels) {
    const found = steps.get(label) ?? []
    const fresh = found.find(({ ref }) => !path.some((step) => step.ref === ref))
    const other = found.find(({ server }) => !path.some((step) => step.server === server))
    const next = other ?? fresh ?? found[0]
    if (!next) return undefined
    path.push(next)
  }
  return path
}
