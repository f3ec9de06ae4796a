/** The verdicts that a participant can give. */
export const CALIBRATION_VERDICTS = ['met', 'missed', 'not_applicable'] as const
export type CalibrationVerdict = (typeof CALIBRATION_VERDICTS)[number]

export const MAX_CALIBRATION_CALLS = 20
export const MIN_CALIBRATION_PEOPLE = 2
export const MAX_CALIBRATION_PEOPLE = 5
/** The limit of calibrations that a person has created. */
export const MAX_CALIBRATIONS = 100
