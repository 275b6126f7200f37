import { HostError, isHostError } from '../../../index.ts'
import { addEndpoint, listModels, removeEndpoint, tryModel, useModel } from '../../../models.ts'
import type { ListedEndpoint } from '../../../models.ts'
import { boundPart } from '../code-subjects.ts'
import type { CodeSubject } from '../code-subjects.ts'
import type { Handlers } from '../handler.ts'
import { shortenPath } from './shown-path.ts'
import { demoModelName, modelPlace, openTalkModel } from './talk-model.ts'

/** How long an endpoint may take to list its models; the page waits for the slowest. */
const listMs = 5000

export const modelHandlers = {
  'GET /api/agents': async (context) => {
    const shorten = shortenPath(context)
    const agents = await context.host.agents()
    return {
      agents: agents.map(({ name, description, model, tools = [], origin }) => ({
        name,
        ...(description !== undefined && { description }),
        ...(model !== undefined && { model }),
        tools,
        shown: shorten(origin.file),
      })),
    }
  },

  'GET /api/models': async ({ isDemo, discover }, _input, { signal }) => {
    if (isDemo) return demoModels()
    const { default: chosen, endpoints } = await listModels({
      ...modelPlace(discover),
      signal,
      timeoutMs: listMs,
    })
    return {
      ...(chosen !== undefined && { current: chosen }),
      isDemo: chosen === undefined,
      endpoints: endpoints.map(describeEndpoint),
      models: endpoints.flatMap(({ name, models }) =>
        models.map(({ ref, id, window, price }) => ({
          ref,
          endpoint: name,
          id,
          ...(window !== undefined && { window }),
          ...(price && { inputPrice: price.input, outputPrice: price.output }),
          isDefault: ref === chosen,
        })),
      ),
    }
  },

  'PUT /api/models/default': async ({ isDemo, discover }, { body }) => {
    if (isDemo)
      throw new HostError('usage', {}, 'The demo has one model.', { hint: 'Start: plugboard serve' })
    const { model } = await useModel(body.model, modelPlace(discover))
    return { model }
  },

  // A key may be a command, and an address receives what is said: a page alone must not choose them (T37, T65).
  'POST /api/models/endpoints': async ({ isDemo, discover, codes }, { body }) => {
    const { request, code, name, address, kind, key } = body
    if (isDemo)
      throw new HostError('usage', {}, 'The demo has no settings.', { hint: 'Start: plugboard serve' })
    const about: CodeSubject = { for: 'model', subject: name, about: boundPart(body) }
    codes.use({ request, code, about, command: addCommand(name) })
    await addEndpoint(
      name,
      {
        ...(kind !== undefined && { kind: kind as ListedEndpoint['kind'] }), // checked by `addEndpoint`
        ...(address !== undefined && { url: address }),
        ...(key !== undefined && { key }),
      },
      modelPlace(discover),
    )
    return { name }
  },

  'DELETE /api/models/endpoints/:endpoint': async ({ isDemo, discover }, { params }) => {
    if (isDemo)
      throw new HostError('usage', {}, 'The demo has no settings.', { hint: 'Start: plugboard serve' })
    const { name } = await removeEndpoint(params.endpoint, modelPlace(discover))
    return { name }
  },

  'POST /api/models/test': async (context, { body: { model } }, { signal }) => {
    const at = Date.now()
    const began = performance.now()
    const took = () => Math.round(performance.now() - began)
    if (context.isDemo) {
      const { model: demo } = await openTalkModel(context, { cwd: context.cwd })
      return { model: demo.name, isOk: true, ms: took(), at }
    }
    try {
      const { callsTools, text } = await tryModel(model, { ...modelPlace(context.discover), signal })
      const message = callsTools
        ? undefined
        : `It did not call the tool it was asked to call.${text === '' ? '' : ` It said: ${text}`}`
      return { model, isOk: callsTools, ms: took(), ...(message !== undefined && { message }), at }
    } catch (error) {
      if (!isHostError(error)) throw error
      const { message, hint } = error
      return { model, isOk: false, ms: took(), message, ...(hint !== undefined && { hint }), at }
    }
  },
} satisfies Partial<Handlers>

function describeEndpoint({ name, url, isBuiltIn, state, problem, keyVariables = [] }: ListedEndpoint) {
  const missing =
    state === 'no-key' ? { message: 'It needs a key.', hint: `Set ${keyVariables.join(' or ')}.` } : undefined
  const { message, hint } = problem ?? missing ?? {}
  return {
    name,
    address: url,
    isReady: state === 'ready',
    isBuiltIn,
    ...(message !== undefined && { problem: message }),
    ...(hint !== undefined && { hint }),
  }
}

function addCommand(name: string): string {
  return `plugboard models add ${name}`
}

function demoModels() {
  const ref = demoModelName
  return {
    current: ref,
    isDemo: true,
    endpoints: [],
    models: [{ ref, endpoint: '', id: ref, isDefault: true }],
  }
}
