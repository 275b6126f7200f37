import { ProtocolError, Server, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { pathToFileURL } from 'node:url'
import * as offers from './offers.mjs'

/** A server of the official SDK v2: 2026-07-28, and older revisions if enabled. */
export function createV2Server({ era }, note, shared) {
  const server = new Server(
    { name: 'peer-v2', version: '2.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        logging: {},
      },
      instructions: 'A peer of SDK v2.',
      cacheHints: {
        'tools/list': { ttlMs: 3_600_000, cacheScope: 'public' },
        'resources/read': { ttlMs: 3_600_000, cacheScope: 'private' },
      },
    },
  )
  const on = (method, handler) => server.setRequestHandler(method, handler)

  on('tools/list', ({ params }) => {
    note('tools/list')
    return offers.pageOf('tools', shared.tools, params?.cursor)
  })
  on('resources/list', ({ params }) => offers.pageOf('resources', offers.resources, params?.cursor))
  on('resources/templates/list', () => ({ resourceTemplates: offers.templates }))
  on('resources/read', ({ params }) => (note(`read ${params.uri}`), offers.readNote(params.uri)))
  on('prompts/list', ({ params }) => offers.pageOf('prompts', offers.prompts, params?.cursor))
  on('prompts/get', ({ params }) => offers.greet(params.arguments?.who))
  on('tools/call', ({ params }, context) => {
    const run = runs[params.name]
    if (!run) throw new ProtocolError(-32602, `Unknown tool ${params.name}`)
    return run({ args: params.arguments ?? {}, request: context.mcpReq })
  })
  if (era === 'legacy') {
    on('resources/subscribe', ({ params }) => (note(`subscribed ${params.uri}`), {}))
    on('resources/unsubscribe', ({ params }) => (note(`unsubscribed ${params.uri}`), {}))
  }

  const runs = {
    echo: ({ args }) => offers.text(args.text),
    fail: () => ({ ...offers.text('it did not work'), isError: true }),
    async count({ args, request }) {
      const { progressToken } = request._meta ?? {}
      for (let progress = 1; progress <= args.to; progress++) {
        const params = { progressToken, progress, total: args.to }
        await request.notify({ method: 'notifications/progress', params })
      }
      return offers.text(`counted to ${args.to}`)
    },
    async wait({ request }) {
      note('waiting')
      await offers.aborted(request.signal)
      note('cancelled')
      return offers.text('never delivered')
    },
    ask({ request }) {
      const answer = inputResponse(request.inputResponses, 'name')
      if (answer.kind !== 'missing') {
        note(`state ${request.requestState()}`)
        return offers.text(JSON.stringify({ action: answer.action, content: answer.content }))
      }
      return inputRequired({
        inputRequests: { name: inputRequired.elicit(offers.question) },
        requestState: 'an opaque "state" \\ with ümlauts',
      })
    },
    think({ request }) {
      const answer = inputResponse(request.inputResponses, 'thought')
      if (answer.kind === 'sampling') return offers.text(JSON.stringify(answer.result.content))
      return inputRequired({ inputRequests: { thought: inputRequired.createMessage(offers.thought) } })
    },
    look({ request }) {
      const answer = inputResponse(request.inputResponses, 'roots')
      if (answer.kind === 'roots') return offers.text(answer.roots.map(({ uri }) => uri).join(' '))
      return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
    },
    async log({ request }) {
      await request.log('warning', 'a word of warning', 'peer')
      return offers.text('logged')
    },
    async grow() {
      shared.tools.push(offers.grown)
      if (shared.notify) shared.notify.toolsChanged()
      else await server.sendToolListChanged()
      return offers.text('grown')
    },
    async touch() {
      if (shared.notify) shared.notify.resourceUpdated('note://a')
      else await server.sendResourceUpdated({ uri: 'note://a' })
      return offers.text('touched')
    },
    crash: () => process.exit(3),
  }
  return server
}

/** State that outlives one request of the modern era. */
export const createShared = () => ({ tools: [...offers.tools], notify: undefined })

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const legacy = process.argv.includes('--modern-only') ? 'reject' : 'serve'
  const shared = createShared()
  serveStdio((context) => createV2Server(context, offers.noteOnStderr, shared), { legacy })
}
