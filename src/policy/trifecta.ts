import type { ToolLabel, TrifectaMode } from '../model/tool-label.ts'

/** The way that information could take: who brought in strangers' text, who private data, and who can send it away. */
export interface TrifectaPath {
  readonly untrusted: string
  readonly private: string
  readonly out: string
}

export interface TrifectaRisk {
  readonly mode: Exclude<TrifectaMode, 'off'>
  readonly path: TrifectaPath
  /** One sentence for a person or model. */
  readonly reason: string
  /** What an approval of the call has to cover. */
  readonly condition: string
}

/** What has come into one conversation so far. Only the first tool of each kind is kept: it names the way. */
export interface InformationFlow {
  untrusted?: string
  private?: string
}

/** Notes that the result of a tool came in. */
export function noteResult(flow: InformationFlow, ref: string, labels: readonly ToolLabel[]): void {
  if (labels.includes('untrusted-in')) flow.untrusted ??= ref
  if (labels.includes('private-data')) flow.private ??= ref
}

/** Whether a way out would complete the three. Most conversations never get here, so it is asked before anything else. */
export function isArmed(flow: InformationFlow): flow is Required<InformationFlow> {
  return flow.untrusted !== undefined && flow.private !== undefined
}

/** The risk of calling a tool now; nothing unless text of strangers and private data have both come in (T15). */
export function riskOf(
  flow: InformationFlow,
  ref: string,
  labels: readonly ToolLabel[],
  mode: TrifectaMode,
): TrifectaRisk | undefined {
  if (mode === 'off' || !isArmed(flow) || !labels.includes('way-out')) return undefined
  const path = { untrusted: flow.untrusted, private: flow.private, out: ref }
  return { mode, path, reason: sentenceOf(path), condition: `trifecta ${path.untrusted} ${path.private}` }
}

function sentenceOf({ untrusted, private: secret, out }: TrifectaPath): string {
  const came =
    untrusted === secret
      ? `${untrusted} has brought in private data and text that strangers wrote`
      : `${untrusted} has brought in text that strangers wrote, and ${secret} private data`
  return `In this conversation ${came}; ${out} could carry it out.`
}
