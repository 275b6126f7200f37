import type { HttpHeaders } from '../../platform/platform.ts'

export function isEventStream(headers: HttpHeaders): boolean {
  return mediaType(headers) === 'text/event-stream'
}

/** Who says nothing about the type may mean it. */
export function mayBeJson(headers: HttpHeaders): boolean {
  const type = mediaType(headers)
  return type === '' || type === 'application/json' || /^[a-z]+\/(?:[\w.-]+\+)?json(?:-rpc|rpc)?$/.test(type)
}

function mediaType(headers: HttpHeaders): string {
  const value = headers['content-type'] ?? ''
  const end = value.indexOf(';')
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase()
}
