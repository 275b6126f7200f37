import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import * as schemas from '@modelcontextprotocol/sdk/types.js'
import { pathToFileURL } from 'node:url'
import * as offers from './offers.mjs'

/** A server of the official SDK v1, whose latest revision is 2025-11-25. */
export function createV1Server(note) {
  const server = new Server(
    { name: 'peer-v1', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        logging: {},
      },
      instructions: 'A peer of SDK v1.',
    },
  )
  const tools = [...offers.tools]
  const on = (schema, handler) => server.setRequestHandler(schema, handler)
  server.oninitialized = () => note('initialized')

  on(schemas.ListToolsRequestSchema, ({ params }) => {
    note('tools/list')
    return offers.pageOf('tools', tools, params?.cursor)
  })
  on(schemas.ListResourcesRequestSchema, ({ params }) =>
    offers.pageOf('resources', offers.resources, params?.cursor),
  )
  on(schemas.ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: offers.templates }))
  on(schemas.ReadResourceRequestSchema, ({ params }) => offers.readNote(params.uri))
  on(schemas.SubscribeRequestSchema, ({ params }) => (note(`subscribed ${params.uri}`), {}))
  on(schemas.UnsubscribeRequestSchema, ({ params }) => (note(`unsubscribed ${params.uri}`), {}))
  on(schemas.ListPromptsRequestSchema, ({ params }) =>
    offers.pageOf('prompts', offers.prompts, params?.cursor),
  )
  on(schemas.GetPromptRequestSchema, ({ params }) => offers.greet(params.arguments?.who))
  on(schemas.CallToolRequestSchema, ({ params }, extra) => {
    const run = runs[params.name]
    if (!run) throw new schemas.McpError(schemas.ErrorCode.InvalidParams, `Unknown tool ${params.name}`)
    return run({ args: params.arguments ?? {}, meta: params._meta ?? {}, extra })
  })

  const runs = {
    echo: ({ args }) => offers.text(args.text),
    fail: () => ({ ...offers.text('it did not work'), isError: true }),
    async count({ args, meta, extra }) {
      for (let progress = 1; progress <= args.to; progress++) {
        const params = { progressToken: meta.progressToken, progress, total: args.to }
        await extra.sendNotification({ method: 'notifications/progress', params })
      }
      return offers.text(`counted to ${args.to}`)
    },
    async wait({ extra }) {
      note('waiting')
      await offers.aborted(extra.signal)
      note('cancelled')
      return offers.text('never delivered')
    },
    async ask({ extra }) {
      const answer = await extra.sendRequest(
        { method: 'elicitation/create', params: offers.question },
        schemas.ElicitResultSchema,
      )
      return offers.text(JSON.stringify(answer))
    },
    async think({ extra }) {
      const answer = await extra.sendRequest(
        { method: 'sampling/createMessage', params: offers.thought },
        schemas.CreateMessageResultSchema,
      )
      return offers.text(JSON.stringify(answer.content))
    },
    async look({ extra }) {
      const { roots } = await extra.sendRequest({ method: 'roots/list' }, schemas.ListRootsResultSchema)
      return offers.text(roots.map(({ uri }) => uri).join(' '))
    },
    async log({ extra }) {
      const params = { level: 'warning', logger: 'peer', data: 'a word of warning' }
      await extra.sendNotification({ method: 'notifications/message', params })
      return offers.text('logged')
    },
    async grow() {
      tools.push(offers.grown)
      await server.sendToolListChanged()
      return offers.text('grown')
    },
    async touch() {
      await server.sendResourceUpdated({ uri: 'note://a' })
      return offers.text('touched')
    },
    crash: () => process.exit(3),
  }
  return server
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await createV1Server(offers.noteOnStderr).connect(new StdioServerTransport())
}
