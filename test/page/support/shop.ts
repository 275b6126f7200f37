import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { PNG } from 'pngjs'
import type { Json, JsonObject } from '../../../src/index.ts'
import { faultyServerFile } from '../../../src/testing/faulty-server.ts'
import type { FaultyScript } from '../../../src/testing/faulty-server.ts'
import { startModelServer } from '../../support/model-server.ts'
import type { Script } from '../../support/model-server.ts'
import { startServed } from '../../support/served.ts'
import type { ServedMachine } from '../../support/served.ts'
import { pageFolder } from './world.ts'

const text = { type: 'string' }
const object = (properties: JsonObject = {}, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
})

/** A tool that only reads, unless it is said that it writes. */
const tool = (name: string, description: string, inputSchema = object(), writes = false): Json => ({
  name,
  description,
  inputSchema,
  annotations: writes ? { openWorldHint: true } : { readOnlyHint: true },
})

const issue = object(
  {
    repo: { ...text, description: 'owner/name' },
    title: { ...text, minLength: 3 },
    body: { ...text, description: 'Markdown' },
    labels: { type: 'array', items: text },
    priority: { enum: ['low', 'normal', 'high'], default: 'normal' },
    due: { type: 'string', format: 'date' },
  },
  ['repo', 'title'],
)

const tracker: FaultyScript = {
  info: { name: 'tracker', version: '1.4.0' },
  instructions: 'Repositories are written owner/name.',
  tools: [
    tool(
      'list_issues',
      'Lists the issues of a repository, the newest first.',
      object({ repo: text }, ['repo']),
    ),
    tool('get_issue', 'One issue with its comments.', object({ number: { type: 'integer' } }, ['number'])),
    tool('create_issue', 'Creates an issue in a repository.', issue, true),
    tool('add_comment', 'Adds a comment to an issue.', object({ number: { type: 'integer' } }), true),
    tool('close_issue', 'Closes an issue.', object({ number: { type: 'integer' } }), true),
    tool('list_runs', 'The runs of the tests.', object({ status: text })),
    tool('search', 'Finds issues by words.', object({ words: text })),
  ],
  on: {
    'tools/call:list_issues': {
      text: JSON.stringify({ issues: [{ number: 4711, title: 'checkout.spec times out', state: 'open' }] }),
    },
    'tools/call:list_runs': {
      text: JSON.stringify(
        [8812, 8790, 8754].map((id) => ({ id, status: 'failure', test: 'checkout.spec' })),
      ),
    },
  },
}

const files: FaultyScript = {
  info: { name: 'files', version: '2.1.0' },
  tools: [
    tool('read_text_file', 'The text of a file.', object({ path: text }, ['path'])),
    tool('list_directory', 'The entries of a folder.', object({ path: text }, ['path'])),
    tool('search_files', 'Finds files by a pattern.', object({ pattern: text }, ['pattern'])),
    tool('directory_tree', 'A folder with everything in it.', object({ path: text })),
    tool('write_file', 'Writes a file.', object({ path: text, content: text }, ['path', 'content']), true),
    tool('move_file', 'Moves or renames a file.', object({ from: text, to: text }, ['from', 'to']), true),
  ],
  on: { 'tools/call:search_files': { text: 'test/checkout.spec.ts\ntest/checkout.fixtures.ts' } },
}

const log = Array.from({ length: 900 }, (_, line) => {
  const time = [line / 60, line % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')
  return `09:${time} ${line % 7 === 0 ? 'WARN slow query 812 ms' : 'INFO order accepted'} id=${40_000 + line}`
})

const metrics: FaultyScript = {
  info: { name: 'metrics', version: '0.9.2' },
  tools: [
    tool('query', 'The values of a metric over time.', object({ metric: text }, ['metric'])),
    tool('draw_chart', 'Draws a metric of the last day.', object()),
    tool('read_log', 'The log of a service of the last hour.', object()),
    tool('reindex', 'Builds the index of the metrics again.', object()),
  ],
  on: {
    'tools/call:draw_chart': {
      result: {
        content: [
          { type: 'text', text: 'Orders an hour, the last day' },
          { type: 'image', data: chart().toString('base64'), mimeType: 'image/png' },
        ],
      },
    },
    'tools/call:read_log': { text: log.join('\n') },
    'tools/call:reindex': [{ progress: { times: 3, total: 8, message: 'orders, week 9 of 24' } }, 'hang'],
  },
}

const calendar: FaultyScript = {
  info: { name: 'calendar', version: '3.0.1' },
  tools: [
    tool('list_events', 'The events of a day.', object({ day: { type: 'string', format: 'date' } })),
    tool('plan_release', 'Finds a time for a release, and asks for what it needs.', object()),
  ],
  on: {
    'tools/call:plan_release': {
      ask: [
        {
          method: 'elicitation/create',
          params: {
            message: 'Which release is it, and who may be called if it fails?',
            requestedSchema: object(
              {
                version: { ...text, title: 'Version', description: 'such as 0.5.0' },
                on: { type: 'string', format: 'date', title: 'Day' },
                risk: { type: 'string', enum: ['low', 'middle', 'high'], title: 'Risk' },
                contact: { type: 'string', format: 'email', title: 'Contact' },
                notify: { type: 'boolean', title: 'Tell the team', default: true },
              },
              ['version', 'on'],
            ),
          },
        },
      ],
    },
  },
}

const named = (name: string, ...tools: readonly (readonly [string, string])[]): FaultyScript => ({
  info: { name, version: '1.0.0' },
  tools: tools.map(([tool_, description]) => tool(tool_, description, object({ query: text }))),
})

const scripts: Readonly<Record<string, FaultyScript>> = {
  tracker,
  files,
  metrics,
  calendar,
  database: named(
    'database',
    ['list_tables', 'The tables, with the number of their rows.'],
    ['describe_table', 'Columns, keys and indexes of a table.'],
    ['run_query', 'Runs a query that only reads.'],
    ['explain', 'The plan of a query.'],
  ),
  wiki: named('wiki', ['find_page', 'Finds pages by words.'], ['read_page', 'The text of a page.']),
  browser: named(
    'browser',
    ...'back click close console cookies download drag evaluate fill forward frames headers hover network open press read reload resize screenshot scroll select tabs type upload wait'
      .split(' ')
      .map((name) => [name, `Does “${name}” in the page that is open.`] as const),
  ),
  mailbox: named('mailbox', ['list_threads', 'The newest threads.'], ['read_thread', 'A thread.']),
  weather: named('weather', ['forecast', 'The weather of the next days.']),
  stock: { on: { initialize: 'hang', 'server/discover': 'hang' } },
}

const declared = Object.fromEntries(
  Object.keys(scripts).map((name) => [name, { command: 'node', args: [`servers/${name}.mjs`] }]),
)
const programs = Object.fromEntries(
  Object.entries(scripts).map(([name, script]) => [
    `servers/${name}.mjs`,
    `process.argv.push('--script', ${JSON.stringify(JSON.stringify(script))})\nawait import(${JSON.stringify(pathToFileURL(faultyServerFile).href)})\n`,
  ]),
)

/** What the model says: it looks for the cause, then wants to write. */
const talk: Script = [
  {
    text: 'I look at the test and its last runs.',
    calls: [
      { name: 'files__search_files', args: { pattern: 'checkout.spec' } },
      { name: 'tracker__list_runs', args: { status: 'failure' } },
    ],
  },
  {
    text: [
      '`checkout.spec` failed in **3 of the last 20 runs**, each time in the same step:',
      '',
      '1. the cart is filled,',
      '2. the page waits for the price,',
      '3. the price comes after the limit of 5 s.',
      '',
      'I open an issue for it.',
    ].join('\n'),
    calls: [
      {
        name: 'tracker__create_issue',
        args: {
          repo: 'acme/shop',
          title: 'checkout.spec times out (3 of 20 runs)',
          body: 'The price arrives after the limit of 5 s.\n\nRuns: 8812, 8790, 8754.',
          labels: ['flaky', 'checkout'],
        },
      },
    ],
  },
]

/**
 * A shop with servers in every state, a model, a conversation that waits for an approval, and a server that asks. Names and
 * texts are made up; nothing leaves this machine.
 */
export async function startShop(): Promise<ServedMachine> {
  const model = await startModelServer({ wire: 'openai-chat', script: talk, models: ['small-14b'] })
  const closed = createServer((_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
  })
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as AddressInfo // it listens on a port
  const served = await startServed(
    {
      ...declared,
      orders: {
        command: 'sh',
        args: [
          '-c',
          'echo "orders: connecting to the queue" >&2; echo "orders: ORDERS_TOKEN is not set" >&2; exit 3',
        ],
        env: { ORDERS_QUEUE: 'shop-orders', ORDERS_TOKEN: '${ORDERS_TOKEN:-}' },
      },
      payments: { type: 'http', url: `http://127.0.0.1:${port}/mcp` },
      docs: { command: 'node', arg: ['servers/docs.mjs'], disabled: true },
    },
    {
      pageFolder,
      files: {
        ...programs,
        '.mcp.json': {
          mcpServers: {
            deploy: {
              command: 'npx',
              args: ['-y', 'shop-deploy@2.3.1', '--region', 'north', '--note', 'from the shop'],
              env: { DEPLOY_TOKEN: '${DEPLOY_TOKEN}' },
            },
          },
        },
        '~/.config/plugboard/settings.json': {
          desk: { idleSeconds: 0 },
          model: 'workstation/small-14b',
          endpoints: { workstation: { kind: 'openai-compatible', url: model.url } },
        },
      },
    },
  )
  return {
    ...served,
    async [Symbol.asyncDispose]() {
      await served.machine.run('gateway', 'stop')
      await served[Symbol.asyncDispose]()
      await model.stop()
      closed.close()
    },
  }
}

/** Bars, as a server would draw them. */
function chart(): Buffer {
  const [width, height] = [480, 180]
  const image = new PNG({ width, height })
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const bar = Math.floor(x / 20)
      const top = 20 + Math.round(70 * (1 + Math.cos((bar - 14) / 3.2)))
      const isBar = x % 20 < 14 && y > top && y < height - 8
      const color = isBar ? [31, 95, 208] : y === height - 8 ? [139, 139, 133] : [255, 255, 255]
      image.data.set([...color, 255], (y * width + x) * 4)
    }
  return PNG.sync.write(image)
}
