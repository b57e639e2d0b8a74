use crate::document::Reading;

pub(crate) fn read(_reading: &mut Reading<'_>) {}
