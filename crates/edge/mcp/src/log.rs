//! Log messages for clients, of the level that they request.
#![expect(deprecated, reason = "current clients still request log messages")]

use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use serde_json::Value as Json;
use tokio::sync::broadcast;

/// Messages that wait for a session; a session that is too slow misses the oldest.
const WAITING: usize = 64;
const LOGGER: &str = "agpm";

/// From the least to the most severe.
const LEVELS: [LoggingLevel; 8] = [
    LoggingLevel::Debug,
    LoggingLevel::Info,
    LoggingLevel::Notice,
    LoggingLevel::Warning,
    LoggingLevel::Error,
    LoggingLevel::Critical,
    LoggingLevel::Alert,
    LoggingLevel::Emergency,
];

/// Log entries for every session.
pub(crate) struct LogBroadcast(broadcast::Sender<LogEntry>);

/// A log message.
#[derive(Clone, Debug)]
pub(crate) struct LogEntry {
    level: LoggingLevel,
    data: Json,
}

impl Default for LogBroadcast {
    fn default() -> Self {
        LogBroadcast(broadcast::channel(WAITING).0)
    }
}

impl LogBroadcast {
    /// Reports what is wrong with something, as values of diagnostics.
    pub(crate) fn broadcast(&self, diagnostics: &[Json]) {
        for diagnostic in diagnostics {
            let level = match diagnostic["severity"].as_str() {
                Some("error") => LoggingLevel::Error,
                Some("warning") => LoggingLevel::Warning,
                _ => LoggingLevel::Info,
            };
            // Nobody listens before a session is open.
            let _ = self.0.send(LogEntry {
                level,
                data: diagnostic.clone(),
            });
        }
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<LogEntry> {
        self.0.subscribe()
    }
}

/// The least severe messages that a session is reported.
#[derive(Debug)]
pub(crate) struct LogThreshold(AtomicUsize);

impl Default for LogThreshold {
    fn default() -> Self {
        LogThreshold(AtomicUsize::new(rank(LoggingLevel::Warning)))
    }
}

impl LogThreshold {
    pub(crate) fn set(&self, level: LoggingLevel) {
        self.0.store(rank(level), Ordering::Relaxed);
    }

    /// The message as this session gets it; nothing if it is not severe enough.
    pub(crate) fn admits(&self, entry: LogEntry) -> Option<LoggingMessageNotificationParam> {
        let loud = rank(entry.level) >= self.0.load(Ordering::Relaxed);
        loud.then(|| {
            LoggingMessageNotificationParam::new(entry.level, entry.data).with_logger(LOGGER)
        })
    }
}

fn rank(level: LoggingLevel) -> usize {
    LEVELS.iter().position(|known| *known == level).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_session_hears_what_is_severe_enough() {
        let log = LogBroadcast::default();
        let mut heard = log.listen();
        log.broadcast(&[
            json!({"severity": "note"}),
            json!({"severity": "warning"}),
            json!({"severity": "error"}),
        ]);
        let entries: Vec<LogEntry> = std::iter::from_fn(|| heard.try_recv().ok()).collect();
        let level = LogThreshold::default();
        let count = |set: Option<LoggingLevel>| {
            set.into_iter().for_each(|set| level.set(set));
            entries
                .iter()
                .filter(|entry| level.admits((*entry).clone()).is_some())
                .count()
        };
        assert_eq!(count(None), 2);
        assert_eq!(count(Some(LoggingLevel::Error)), 1);
        assert_eq!(count(Some(LoggingLevel::Emergency)), 0);
        assert_eq!(count(Some(LoggingLevel::Debug)), 3);
    }
}
