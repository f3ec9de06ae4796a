import type { Page } from 'playwright-core'
import { decodeAudio, countOutputChannels } from '../recognizer/audio.ts'
import { probeAudioFile } from '../recognizer/probe.ts'
import type { TestApp } from './server.ts'

/** Fetches a path of the API as Olga, with the body as bytes. */
export async function fetchResponseBytes(app: TestApp, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(app.url + path, { headers: { ...app.olga.headers, ...headers } })
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
}

/** Tests compare audio at this sample rate. */
export const COMPARED_SAMPLE_RATE_HZ = 8000
const COMPARED_SECONDS = 0.6
/** The offset is searched within this many seconds around the expected position. */
const SEARCH_RANGE_SECONDS = 1

/**
 * Decodes a file with the decoder of the recognizer and mixes its channels to one. Times equal those of the transcript.
 * @returns samples at COMPARED_SAMPLE_RATE_HZ
 */
export async function decodeMonoAudio(file: string): Promise<Float32Array> {
  const { signal } = new AbortController()
  const header = await probeAudioFile(file, signal)
  const width = countOutputChannels(header.channels)
  const parts: number[] = []
  for await (const samples of decodeAudio(file, header, COMPARED_SAMPLE_RATE_HZ, signal)) {
    for (let i = 0; i < samples.length; i += width) {
      let sum = 0
      for (let channel = 0; channel < width; channel++) sum += samples[i + channel]!
      parts.push(sum / width / 32_768)
    }
  }
  return Float32Array.from(parts)
}

/**
 * Loads an audio file in a page and connects a recorder to the player.
 * @returns the duration in seconds that the browser reports
 */
export function openAudioPlayer(page: Page, path: string): Promise<number> {
  return page.evaluate(`(async () => {
    const audio = window.heardAudio = new Audio(${JSON.stringify(path)})
    await new Promise((resolve, reject) => {
      audio.onloadedmetadata = resolve
      audio.onerror = () => reject(new Error(audio.error.message))
    })
    const context = new AudioContext({ sampleRate: ${COMPARED_SAMPLE_RATE_HZ} })
    const recorder = window.heardRecorder = context.createScriptProcessor(1024, 2, 1)
    context.createMediaElementSource(audio).connect(recorder).connect(context.destination)
    await new Promise((resolve) => (recorder.onaudioprocess = resolve))
    return audio.duration
  })()`)
}

/**
 * Plays from a position in seconds and records 0.6 s, without leading silence.
 * @returns samples at COMPARED_SAMPLE_RATE_HZ
 */
export function recordAudioPlayback(page: Page, position: number): Promise<number[]> {
  const length = Math.round(COMPARED_SAMPLE_RATE_HZ * COMPARED_SECONDS)
  return page.evaluate(`(async () => {
    const [audio, recorder] = [window.heardAudio, window.heardRecorder]
    const seeked = new Promise((resolve) => (audio.onseeked = resolve))
    audio.currentTime = ${position}
    await seeked
    const samples = []
    const full = new Promise((resolve) => {
      audio.onended = resolve
      recorder.onaudioprocess = ({ inputBuffer }) => {
        const [left, right] = [inputBuffer.getChannelData(0), inputBuffer.getChannelData(1)]
        for (let i = 0; i < left.length; i++) {
          const sample = (left[i] + right[i]) / 2
          if (samples.length > 0 || Math.abs(sample) > 0.0001) samples.push(sample)
        }
        if (samples.length >= ${length}) resolve()
      }
    })
    await audio.play()
    await full
    audio.pause()
    return samples.slice(0, ${length})
  })()`)
}

/**
 * Finds where recorded samples occur in the reference, by correlation.
 * @returns the offset in seconds from `position`; undefined if the samples are different audio
 */
export function findAudioOffsetSeconds(
  reference: Float32Array,
  samples: number[],
  position: number,
): number | undefined {
  const expectedIndex = Math.round(position * COMPARED_SAMPLE_RATE_HZ)
  const searchRange = SEARCH_RANGE_SECONDS * COMPARED_SAMPLE_RATE_HZ
  let [best, offset] = [0, 0]
  for (let shift = -searchRange; shift <= searchRange; shift += 2) {
    let [dot, power, own] = [0, 0, 0]
    for (let i = 0; i < samples.length; i += 3) {
      const sample = reference[expectedIndex + shift + i] ?? 0
      dot += sample * samples[i]!
      power += sample ** 2
      own += samples[i]! ** 2
    }
    const similarity = Math.abs(dot) / (Math.sqrt(own * power) + 1e-9)
    if (similarity > best) [best, offset] = [similarity, shift / COMPARED_SAMPLE_RATE_HZ]
  }
  return best > 0.7 ? offset : undefined
}
