import { appDefinition } from '../../model/app/app-document.ts'
import type { AppDocument } from '../../model/app/app-document.ts'
import { HostError } from '../../model/error.ts'
import type { Server } from '../../model/server.ts'
import { whyHeld } from './held-tools.ts'
import type { OfferGate } from './offer-gate.ts'

/** Throws unless the document is the accepted one, or one that may be accepted now (T12). */
export async function admitApp(gate: OfferGate, server: Server | undefined, app: AppDocument): Promise<void> {
  if (!server) return
  const held = await gate.admitApp(server, appDefinition(app))
  if (!held) return
  const { uri } = app
  const review = `plugboard review ${/^[\w.-]+$/.test(server.name) ? server.name : JSON.stringify(server.name)}`
  const message = `The app ${uri} of "${server.name}" is held. ${whyHeld(held)}`
  throw new HostError('app.held', { server: server.name, uri, reason: held.reason }, message, {
    hint: review,
  })
}
