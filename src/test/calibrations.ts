import type { TestClient } from './client.ts'

type Verdict = 'met' | 'missed' | 'not_applicable'

/** Creates a calibration of calls through the API. @returns its id */
export async function createCalibration(
  client: TestClient,
  recordingIds: string[],
  participantIds: string[],
  name = 'March',
): Promise<string> {
  const { status, json, text } = await client.post('/v1/calibrations', { name, recordingIds, participantIds })
  if (status !== 201) throw new Error(`the calibration cannot be created: ${text}`)
  return json.id
}

/** Gives verdicts on rules of a call, by the key of the rule. Other rules stay without a verdict. */
export async function judgeCalibrationCall(
  client: TestClient,
  id: string,
  call: string,
  verdicts: Record<string, Verdict>,
  comment?: string,
): Promise<void> {
  const { rules } = (await client.get(`/v1/calibrations/${id}/calls/${call}`)).json
  for (const { id: ruleId, rule } of rules as { id: string; rule: { key: string } }[]) {
    const verdict = verdicts[rule.key]
    if (verdict) await client.put(`/v1/calibrations/${id}/rules/${ruleId}`, { verdict, comment })
  }
}

/** Gives the same verdicts in all calls and submits them. */
export async function submitCalibration(
  client: TestClient,
  id: string,
  verdicts: Record<string, Verdict>,
): Promise<void> {
  const { items } = (await client.get(`/v1/calibrations/${id}`)).json
  for (const { recording } of items as { recording: { id: string } }[])
    await judgeCalibrationCall(client, id, recording.id, verdicts)
  const { status, text } = await client.post(`/v1/calibrations/${id}/submit`)
  if (status !== 200) throw new Error(`the verdicts cannot be submitted: ${text}`)
}
