// Tests of HeddleListener.
