// A complete MCP server over HTTP: a JSON message in the body of a POST, the answer in the body of the response.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createAnswer } from './answer.mjs'

const skies = ['sun', 'clouds', 'rain', 'snow']

const answer = createAnswer('weather', [
  {
    name: 'forecast',
    description: 'Tells the weather of the coming days. The sky here is made up.',
    inputSchema: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer', minimum: 1, maximum: 7, default: 3, description: 'how many days' },
        unit: { type: 'string', enum: ['C', 'F'], default: 'C' },
      },
      required: ['city'],
    },
    annotations: { readOnlyHint: true },
    run: ({ city, days = 3, unit = 'C' }) =>
      Array.from({ length: days }, (_, day) => forecast(city, day, unit)).join('\n'),
  },
])

function forecast(city, day, unit) {
  const seed = [...city].reduce((sum, letter) => sum + letter.codePointAt(0), day * 7)
  const celsius = (seed % 30) - 5
  const degrees = unit === 'F' ? Math.round(celsius * 1.8 + 32) : celsius
  return `${city}, day ${day + 1}: ${skies[seed % skies.length]}, ${degrees} °${unit}`
}

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end()
  const reply = answer(JSON.parse(await text(request)))
  if (!reply) return response.writeHead(202).end()
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
})
server.listen(Number(process.env.WEATHER_PORT ?? 0), '127.0.0.1', () =>
  process.stdout.write(`${server.address().port}\n`),
)
// Exits with the process that started it.
process.stdin.on('end', () => process.exit()).resume()
