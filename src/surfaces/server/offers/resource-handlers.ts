import { HostError, fromRef, toRef } from '../../../index.ts'
import type { Json, JsonObject, OfferedResource, ResourcePart } from '../../../index.ts'
import { isObject, listOf } from '../../../internal.ts'
import { showFindings } from '../../facts/findings/shown-finding.ts'
import { clean } from '../../facts/result-facts.ts'
import type { Handlers } from '../handler.ts'
import { offersOf } from './offer-state.ts'

const maxSubscriptions = 200
/** A longer text is cut: a page shows no more of it. */
const maxTextLength = 1_000_000
const maxBlobLength = 6_000_000

export const resourceHandlers = {
  async 'GET /api/resources'(context) {
    const { host } = context
    await host.ready({ from: 'disk' })
    offersOf(context).load()
    return { resources: host.resources().map(toResourceRow) }
  },

  async 'GET /api/resource'({ host }, { query }, { signal }) {
    const { server = '', uri = '' } = query ?? {}
    return { parts: (await host.read(uri, { server, signal })).map(shorten) }
  },

  async 'PUT /api/resource/subscribed'(context, { body: { server, uri, isSubscribed } }, { signal }) {
    const { subscriptions } = offersOf(context)
    const { host, feed } = context
    const key = JSON.stringify([server, uri])
    const known = subscriptions.get(key)
    if (!isSubscribed) {
      known?.[Symbol.dispose]()
      subscriptions.delete(key)
      return { isSubscribed: false }
    }
    if (known) return { isSubscribed: true }
    if (subscriptions.size >= maxSubscriptions)
      throw new HostError('call.busy', { server }, `${maxSubscriptions} resources are followed.`)
    const onChange = (update: { readonly server: string; readonly uri: string }) =>
      feed.publish({ type: 'resource.changed', server: update.server, uri: update.uri })
    subscriptions.set(key, await host.subscribe(uri, onChange, { server, signal }))
    return { isSubscribed: true }
  },

  async 'GET /api/prompts'(context) {
    const { host } = context
    await host.ready({ from: 'disk' })
    offersOf(context).load()
    return {
      prompts: host.prompts().map(({ server, prompt }) => {
        const name = textIn(prompt, 'name') ?? ''
        const title = textIn(prompt, 'title')
        return {
          ref: toRef(server, name),
          server,
          name,
          ...(title !== undefined && { title }),
          description: textIn(prompt, 'description') ?? '',
          arguments: listOf(prompt['arguments']).flatMap(toArgument),
        }
      }),
    }
  },

  async 'POST /api/prompts/:ref'({ host }, { params, body }, { signal }) {
    const { server, tool: name } = fromRef(params.ref) ?? {}
    if (server === undefined || name === undefined)
      throw new HostError(
        'prompt.unknown',
        { prompt: params.ref, near: [] },
        `There is no prompt "${params.ref}".`,
      )
    await host.ready({ servers: [server], signal })
    const { description, messages, findings } = await host.prompt(server, name, body.args, { signal })
    return {
      ...(description !== undefined && { description: clean(description) }),
      messages,
      ...(findings && { findings: showFindings(findings) }),
    }
  },

  async 'POST /api/complete'({ host }, { body }, { signal }) {
    const { server, prompt, template, argument, value, known } = body
    const about = { server, argument, value, ...(known && { known }) }
    if (prompt !== undefined) return host.complete({ ...about, prompt }, { signal })
    if (template !== undefined) return host.complete({ ...about, template }, { signal })
    throw new HostError('usage', {}, 'Name a prompt or a template.')
  },
} satisfies Partial<Handlers>

function toResourceRow({ server, resource }: OfferedResource) {
  const { uri, uriTemplate } = resource
  const address = typeof uri === 'string' ? uri : typeof uriTemplate === 'string' ? uriTemplate : ''
  const [title, description, mimeType] = ['title', 'description', 'mimeType'].map((key) =>
    textIn(resource, key),
  )
  return {
    server,
    uri: address,
    name: textIn(resource, 'name') ?? address,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    isTemplate: typeof uri !== 'string',
  }
}

function shorten(part: ResourcePart): ResourcePart & { readonly isCut?: true } {
  if (part.kind === 'text') {
    const isCut = part.text.length > maxTextLength
    return { ...part, text: clean(part.text.slice(0, maxTextLength)), ...(isCut && { isCut }) }
  }
  if (part.kind !== 'blob' || part.blob.length <= maxBlobLength) return part
  const { blob: _blob, ...about } = part
  return { ...about, kind: 'too-large' }
}

function toArgument(argument: Json) {
  if (!isObject(argument)) return []
  const description = textIn(argument, 'description')
  return [
    {
      name: textIn(argument, 'name') ?? '',
      ...(description !== undefined && { description }),
      required: argument['required'] === true,
    },
  ]
}

/** A text of a server without hidden characters. */
function textIn(object: JsonObject, key: string): string | undefined {
  const value = object[key]
  return typeof value === 'string' ? clean(value) : undefined
}
