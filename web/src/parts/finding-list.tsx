import type { ShownFinding } from '../../../src/client.ts'
import { ShapeMark } from './state-mark.tsx'

type Found = Omit<ShownFinding, 'where'> & Partial<ShownFinding>

/** What the scanner found in a text of a server; nothing without findings. */
export function FindingList({ findings }: { readonly findings: readonly Found[] | undefined }) {
  return findings?.length ? (
    <ul class="findings" aria-label="Scanner">
      {findings.map(({ rule, severity, where, message, evidence, remedy }, index) => (
        <li key={index} class={severity === 'critical' || severity === 'high' ? 'is-bad' : ''}>
          <ShapeMark shape="triangle" />
          <div>
            <b>{severity}</b> {message} <span class="dim mono">{where}</span> <span class="dim">{rule}</span>
            {evidence && <q>{evidence}</q>}
            <span class="sentence">{remedy}</span>
          </div>
        </li>
      ))}
    </ul>
  ) : null
}
