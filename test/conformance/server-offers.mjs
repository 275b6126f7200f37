import { createHmac, randomBytes } from 'node:crypto'

// What the fixture server of the gateway's conformance run offers. A tool returns its result, or questions with a state;
// `server.mjs` asks them as the era requires and runs the tool again with the answers.

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='
const key = randomBytes(32)

const text = (value) => ({ content: [{ type: 'text', text: value }] })
const sign = (state) => `${state}.${createHmac('sha256', key).update(state).digest('hex')}`
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function readState(state) {
  const [value = ''] = String(state).split('.')
  if (sign(value) !== state) throw { code: -32602, message: 'The state was changed.' }
  return value
}

const object = (properties = {}, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})
const string = { type: 'string' }
const elicit = (message, properties, required) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: object(properties, required) },
})
const sample = (prompt, maxTokens = 100) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
})
const roots = { method: 'roots/list', params: {} }
const nameOf = (answer) => answer?.content?.name

/** Asks for a name until there is one. */
function askName({ responses }) {
  const name = nameOf(responses.user_name)
  if (typeof name === 'string') return text(`Hello, ${name}!`)
  return { ask: { user_name: elicit('What is your name?', { name: string }) } }
}

const completed = ({ answer }) =>
  answer &&
  text(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`)

const enums = ['option1', 'option2', 'option3']
const titled = (word) =>
  [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${['First', 'Second', 'Third'][n - 1]} ${word}` }))

export const tools = {
  test_simple_text: { run: () => text('This is a simple text response for testing.') },
  test_image_content: { run: () => ({ content: [{ type: 'image', data: png, mimeType: 'image/png' }] }) },
  test_audio_content: { run: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }) },
  test_embedded_resource: {
    run: () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  },
  test_multiple_content_types: {
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: png, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
  },
  test_tool_with_logging: {
    async run({ log }) {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        log({ level: 'info', data })
        await pause(50)
      }
      return text('Logged.')
    },
  },
  test_logging_tool: {
    run({ log }) {
      log({ level: 'info', data: 'This is for clients that want it.' })
      return text('Logged.')
    },
  },
  test_error_handling: {
    run: () => ({ isError: true, ...text('This tool intentionally returns an error for testing') }),
  },
  test_tool_with_progress: {
    async run({ progress }) {
      for (const done of [0, 50, 100]) {
        progress({ progress: done, total: 100 })
        await pause(50)
      }
      return text('Done.')
    },
  },
  test_sampling: {
    inputSchema: object({ prompt: string }),
    run: ({ args, responses: { answer } }) =>
      answer ? text(`LLM response: ${answer.content?.text}`) : { ask: { answer: sample(args.prompt) } },
  },
  test_elicitation: {
    inputSchema: object({ message: string }),
    run: ({ args, responses: { answer } }) =>
      answer
        ? text(`User response: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`)
        : {
            ask: {
              answer: elicit(args.message, {
                username: { type: 'string', description: "User's response" },
                email: { type: 'string', description: "User's email address" },
              }),
            },
          },
  },
  test_elicitation_sep1034_defaults: {
    run: ({ responses }) =>
      completed(responses) ?? {
        ask: {
          answer: elicit(
            'Please check these values.',
            {
              name: { type: 'string', default: 'John Doe' },
              age: { type: 'integer', default: 30 },
              score: { type: 'number', default: 95.5 },
              status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
              verified: { type: 'boolean', default: true },
            },
            [],
          ),
        },
      },
  },
  test_elicitation_sep1330_enums: {
    run: ({ responses }) =>
      completed(responses) ?? {
        ask: {
          answer: elicit(
            'Please choose.',
            {
              untitledSingle: { type: 'string', enum: enums },
              titledSingle: { type: 'string', oneOf: titled('Option') },
              legacyEnum: {
                type: 'string',
                enum: ['opt1', 'opt2', 'opt3'],
                enumNames: ['Option One', 'Option Two', 'Option Three'],
              },
              untitledMulti: { type: 'array', items: { type: 'string', enum: enums } },
              titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
            },
            [],
          ),
        },
      },
  },
  test_missing_capability: {
    run({ capabilities, responses }) {
      if (!capabilities.sampling)
        throw {
          code: -32021,
          message: 'It needs sampling.',
          data: { requiredCapabilities: { sampling: {} } },
        }
      return responses.sampled ? text('The client can sample.') : { ask: { sampled: sample('Say yes', 10) } }
    },
  },
  test_streaming_elicitation: { run: askName },
  test_input_required_result_elicitation: { run: askName },
  test_input_required_result_sampling: {
    run: ({ responses: { capital_question: answer } }) =>
      answer
        ? text(answer.content?.text ?? '')
        : { ask: { capital_question: sample('What is the capital of France?') } },
  },
  test_input_required_result_list_roots: {
    run: ({ responses: { client_roots: answer } }) =>
      answer ? text(`Roots: ${JSON.stringify(answer.roots)}`) : { ask: { client_roots: roots } },
  },
  test_input_required_result_request_state: {
    run({ responses, state }) {
      const ask = { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) }
      if (!responses.confirm) return { ask, state: sign('confirming') }
      return text(readState(state) === 'confirming' ? 'state-ok' : 'another state')
    },
  },
  test_input_required_result_multiple_inputs: {
    run({ responses, state }) {
      const ask = {
        user_name: elicit('What is your name?', { name: string }),
        greeting: sample('Generate a greeting', 50),
        client_roots: roots,
      }
      if (!Object.keys(ask).every((each) => responses[each])) return { ask, state: sign('several') }
      readState(state)
      return text(`${responses.greeting.content?.text} ${nameOf(responses.user_name)}`)
    },
  },
  test_input_required_result_multi_round: {
    run({ responses, state }) {
      const step = state === undefined ? 'none' : readState(state)
      if (step === 'step2' && responses.step2) return text('Both steps are done.')
      if (step === 'step1' && responses.step1)
        return {
          ask: { step2: elicit('Step 2: What is your favorite color?', { color: string }) },
          state: sign('step2'),
        }
      return { ask: { step1: elicit('Step 1: What is your name?', { name: string }) }, state: sign('step1') }
    },
  },
  test_input_required_result_tampered_state: {
    run({ responses, state }) {
      if (state !== undefined) readState(state)
      return responses.confirm
        ? text('The state is as it was.')
        : { ask: { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) }, state: sign('tamper') }
    },
  },
  test_input_required_result_capabilities: {
    run({ responses, capabilities }) {
      const ask = {
        ...(capabilities.sampling && { said: sample('Say something') }),
        ...(capabilities.elicitation && { name: elicit('What is your name?', { name: string }) }),
      }
      return Object.keys(ask).every((each) => responses[each]) ? text('Asked what can be asked.') : { ask }
    },
  },
  test_custom_header: {
    inputSchema: object({ region: { type: 'string', 'x-mcp-header': 'Region' } }),
    run: ({ args }) => text(`Region: ${args.region}`),
  },
  test_trigger_tool_change: { run: ({ changed }) => (changed('tools'), text('The tools changed.')) },
  test_trigger_prompt_change: { run: ({ changed }) => (changed('prompts'), text('The prompts changed.')) },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: string, city: string },
        },
      },
      properties: {
        name: string,
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: string,
        email: string,
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: () => text('It has a schema of 2020-12.'),
  },
}

const said = (value) => ({ role: 'user', content: { type: 'text', text: value } })

export const prompts = {
  test_simple_prompt: { run: () => ({ messages: [said('This is a simple prompt for testing.')] }) },
  test_prompt_with_arguments: {
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    run: ({ args }) => ({
      messages: [said(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)],
    }),
  },
  test_prompt_with_embedded_resource: {
    arguments: [{ name: 'resourceUri', description: 'The resource to embed', required: true }],
    run: ({ args }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: {
              uri: args.resourceUri,
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
        },
        said('Please process the embedded resource above.'),
      ],
    }),
  },
  test_prompt_with_image: {
    run: () => ({
      messages: [
        { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } },
        said('Please analyze the image above.'),
      ],
    }),
  },
  test_input_required_result_prompt: {
    run: ({ responses: { user_context: answer } }) =>
      answer
        ? { messages: [said(`Context: ${answer.content?.context}`)] }
        : { ask: { user_context: elicit('What context should the prompt use?', { context: string }) } },
  },
}

export const resources = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: png },
  'test://watched-resource': { mimeType: 'text/plain', text: 'It may change.' },
}

export const templates = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'data',
    description: 'Data by id',
    mimeType: 'application/json',
  },
]

export function readResource(uri) {
  if (Object.hasOwn(resources, uri)) return { contents: [{ uri, ...resources[uri] }] }
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
  if (id === undefined) return undefined
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
  return { contents: [{ uri, mimeType: 'application/json', text: data }] }
}
