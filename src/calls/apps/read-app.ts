import { readAppDocument } from '../../model/app/app-document.ts'
import type { AppDocument } from '../../model/app/app-document.ts'
import { HostError } from '../../model/error.ts'
import type { Finding } from '../../model/finding.ts'
import type { Redactor } from '../../model/secrets/redactor.ts'
import type { Tool } from '../../model/tool.ts'
import { withCleanProgress } from '../call-events.ts'
import type { ViewContext } from '../view/view-context.ts'
import type { CallOptions } from '../view/view.ts'
import { visibleTexts } from './visible-texts.ts'

/**
 * The documents of each host by their hash: ten open apps of one document hold its text once, and it is scanned once. Another
 * host has other secrets.
 */
const known = new WeakMap<Redactor, Map<string, WeakRef<ReadDocument>>>()

interface ReadDocument {
  readonly html: string
  readonly findings: readonly Finding[]
}

/**
 * Reads the document of a tool's app from its server. It is read each time, because only that shows that it has changed; what
 * was read before is used by its hash.
 */
export async function readAppOf(
  tool: Tool,
  context: ViewContext,
  options: CallOptions,
): Promise<AppDocument> {
  const { server, app: uri } = tool
  if (uri === undefined) throw unusable(server, '', `"${tool.name}" has no app.`)
  const mask = (text: string) => context.redactor.maskKnown(text)
  const { signal, timeoutMs, maxTimeoutMs, onProgress } = withCleanProgress(options, mask)
  const connection = await context.connectionOf(server)
  const requestOptions = { signal, timeoutMs, maxTimeoutMs, onProgress, isRepeatable: true }
  const answer = await connection.request('resources/read', { uri }, requestOptions)
  const listed = context.catalog.snapshotOf(server)?.resources.find((each) => each['uri'] === uri)
  const reading = readAppDocument(answer, uri, listed?.['_meta'])
  if (reading.kind === 'unusable')
    throw unusable(server, uri, `The app of "${tool.name}" cannot be shown. ${reading.problem}`)
  const clean = { ...reading.app, html: context.redactor.isEmpty ? reading.app.html : mask(reading.app.html) }
  const { html, findings } = await interned(clean, server, context)
  const app: AppDocument = { server, ...reading.app, html, findings }
  await context.admitApp?.(app)
  return app
}

async function interned(
  { hash, html, uri }: Pick<AppDocument, 'hash' | 'html' | 'uri'>,
  server: string,
  { loadAppScan, redactor }: ViewContext,
): Promise<ReadDocument> {
  const key = `${server}\0${hash}`
  const documents = known.get(redactor) ?? new Map<string, WeakRef<ReadDocument>>()
  known.set(redactor, documents)
  const found = documents.get(key)?.deref()
  // A secret that became known since is masked now.
  if (found?.html === html) return found
  // Scripts and styles are not scanned: neither a person nor a model reads them.
  const parts = [{ text: visibleTexts(html) }]
  const findings = (await loadAppScan?.())?.parts('resource', parts, { server, name: uri }).flat() ?? []
  const read = { html, findings }
  for (const [each, reference] of documents) if (!reference.deref()) documents.delete(each)
  documents.set(key, new WeakRef(read))
  return read
}

function unusable(server: string, uri: string, message: string): HostError {
  return new HostError('app.unusable', { server, uri }, message, {
    hint: 'The text of the result stands for itself.',
  })
}
