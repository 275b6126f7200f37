import { shortJson } from './json-page.mjs'

/** The introduction and the lines of docs/reference/api.md. */
export function apiPage({ api, toOpenApi, requestFaults, statusOfError }) {
  const routes = Object.entries(api)
  const { paths, components } = toOpenApi('0.0.0')
  const intro =
    'The routes of `plugboard serve` ([how to use them](../guide/serve.md)). Every request needs `Authorization: Bearer TOKEN`; the token is the part after `#k=` of the address. ' +
    'Bodies and answers are JSON. An answer with a status of 400 or more is `{ "error": { "code", "message", "hint", "data" } }`: [codes](#errors). ' +
    'Values of a path are percent-encoded. [openapi.json](openapi.json) has the same for programs, and so does `GET /api/openapi.json` of a server that runs.'
  const lines = [
    '| route | what it does | command |',
    '| --- | --- | --- |',
    ...routes.map(
      ([key, { summary, command, isGuarded }]) =>
        `| \`${key}\`${isGuarded ? ' (code)' : ''} | ${summary} | ${command === undefined ? '' : `\`${command.replaceAll('|', String.raw`\|`)}\``} |`,
    ),
    '| `GET /api/events` | The events, as server-sent events: a snapshot first, then every change. | |',
    '',
    '(code): refused without a code that the terminal of `serve` shows, see `POST /api/codes`.',
    '',
    ...routes.flatMap(([key]) => section(key, operationOf(paths, key))),
    '## Errors',
    '',
    'What can be wrong with a request itself:',
    '',
    '| status | code | what it means |',
    '| --- | --- | --- |',
    ...Object.entries(requestFaults).map(
      ([code, { status, means }]) => `| ${status} | \`${code}\` | ${means} |`,
    ),
    '',
    'Other errors have the codes of the library ([what they mean](errors.md)), with these statuses:',
    '',
    '| status | codes |',
    '| --- | --- |',
    ...[...new Set(Object.values(statusOfError))]
      .toSorted((a, b) => a - b)
      .map((status) => `| ${status} | ${codesOf(statusOfError, status)} |`),
    '',
    '## Parts',
    '',
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [`### ${name}`, '', ...block(schema)]),
  ]
  return [intro, lines.slice(0, -1)]
}

function operationOf(paths, key) {
  const [method, path] = key.split(' ')
  return paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()]
}

function section(key, { summary, parameters = [], requestBody, responses }) {
  const query = parameters.filter((each) => each.in === 'query')
  return [
    `## ${key}`,
    '',
    summary,
    '',
    ...(query.length === 0
      ? []
      : [
          `Query: ${query.map(({ name, required }) => `\`${name}\`${required ? '' : ' (optional)'}`).join(', ')}.`,
          '',
        ]),
    ...(requestBody ? ['Body:', '', ...block(requestBody.content['application/json'].schema)] : []),
    'Answer:',
    '',
    ...block(responses[200].content['application/json'].schema),
  ]
}

function codesOf(statuses, status) {
  return Object.entries(statuses)
    .filter(([, each]) => each === status)
    .map(([code]) => `\`${code}\``)
    .join(', ')
}

function block(schema) {
  return ['```json', shortJson(schema), '```', '']
}
